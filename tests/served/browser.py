"""A person at the server's pages, in a real browser: signs in, reads a run, answers its form, looks what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, sync_playwright

Look = Literal["v1", "v2"]
LOOKS: tuple[Look, ...] = ("v1", "v2")
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # nothing but this machine's own server exists for it
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
PATIENCE = 30_000
"""Milliseconds a page may take to show what is looked for."""


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium that reaches nothing but this machine."""
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield opened
        finally:
            opened.close()


class Person:
    """Someone signed in to one look of the server's pages; every picture they take lands in `pictures`."""

    def __init__(self, opened: Browser, origin: str, sign_in: str, look: Look, pictures: Path) -> None:
        self.look, self.origin, self.pictures = look, origin, pictures
        self.page: Page = opened.new_page(viewport={"width": 1280, "height": 1000})
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(f"{self._root}/login")
        self.page.locator("input[type=password]").fill(sign_in)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(f"{self._root}/dashboard**")

    @property
    def _root(self) -> str:
        return f"{self.origin}/v2" if self.look == "v2" else self.origin

    def open_run(self, run: str) -> None:
        """The page of the run is shown."""
        self.page.goto(f"{self._root}/runs/flow-run/{run}")
        self.page.get_by_text("Suspended").or_(self.page.get_by_text("Completed")).first.wait_for()

    def open_form(self) -> Locator:
        """The form that the suspended run asks with."""
        if self.look == "v2":
            self.page.get_by_role("button", name="Open menu").first.click()
            self.page.get_by_role("menuitem", name="Resume").click()
            form = self.page.get_by_role("dialog")
        else:
            self.page.get_by_role("button", name="Resume").first.click()
            form = self.page.locator(".p-modal__card")
        form.locator("fieldset").first.wait_for()
        return form

    def fill(self, form: Locator, values: Mapping[str, str | Sequence[str]]) -> None:
        """Each field, by its title, holds the value; a sequence picks several."""
        for title, value in values.items():
            field = self._field(form, title)
            if field.locator("textarea").count():
                field.locator("textarea").fill(str(value))
            else:
                self._pick(field, value)

    def _field(self, form: Locator, title: str) -> Locator:
        """The innermost part of the form that holds one fieldset and this title."""
        if self.look == "v2":
            return form.locator("div.group", has=self.page.locator("label", has_text=title)).last
        return form.locator(".schema-form-property", has=self.page.locator("label", has_text=title)).last

    def _pick(self, field: Locator, value: str | Sequence[str]) -> None:
        opener = field.locator("fieldset button").first
        # the older look opens its lists by key alone where a click also gives the focus
        opener.click() if self.look == "v2" else opener.press("ArrowDown")
        for option in [value] if isinstance(value, str) else value:
            self.page.get_by_role("option", name=option).first.click()
        if not isinstance(value, str):  # a list of several stays open; Escape at another moment closes the form
            self.page.keyboard.press("Escape") if self.look == "v2" else field.locator("label").first.click()
        self.page.get_by_role("option").first.wait_for(state="detached")

    def submit(self, form: Locator) -> None:
        """The form is sent."""
        form.get_by_role("button", name="Resume" if self.look == "v2" else "Submit", exact=True).click()

    def picture(self, name: str) -> Path:
        """What is seen now, as a picture."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        path = self.pictures / f"{name}-{self.look}.png"
        self.page.screenshot(path=path)
        return path

    def close(self) -> None:
        """They leave."""
        self.page.close()
