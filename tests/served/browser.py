"""A person at the server's pages, in a real browser: signs in, reads a run, answers its form, looks what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

Look = Literal["v1", "v2"]
LOOKS: tuple[Look, ...] = ("v1", "v2")
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    # the timeline of a run is drawn again and again: without a card that takes a whole core of the two
    "--disable-software-rasterizer",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # nothing but this machine's own server exists for it
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
PATIENCE = 60_000
"""Milliseconds a page may take to show what is looked for."""
PRESSES = 3
"""How often a button is pressed: a page that was busy may not have heard the first time."""
GLANCE = 2_000
REST, RESTS = 300, 20
"""Milliseconds in which a text must not change, and how often that is looked at."""


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

    def __init__(self, opened: Browser, origin: str, secret: str, look: Look, pictures: Path) -> None:
        self.look, self.origin, self.pictures = look, origin, pictures
        self.taken: list[Path] = []
        self._secret, self._signed_in = secret, False
        self.page: Page = opened.new_page(viewport={"width": 1280, "height": 1000}, reduced_motion="reduce")
        self.page.set_default_timeout(PATIENCE)

    @property
    def _root(self) -> str:
        return f"{self.origin}/v2" if self.look == "v2" else self.origin

    def sign_in(self) -> None:
        """They are signed in."""
        self.page.goto(f"{self._root}/login")
        self._give_secret()
        self.page.wait_for_url(f"{self._root}/dashboard**")

    def _give_secret(self) -> None:
        self.page.locator("input[type=password]").fill(self._secret)
        self.page.keyboard.press("Enter")
        self._signed_in = True

    def follow(self, link: str) -> None:
        """A link to a run was followed without being signed in: the server asked for it, and then the run is shown."""
        self.page.goto(link)
        self._give_secret()
        self.page.wait_for_url(f"{link}**")
        self._shown()

    def open_run(self, run: str, state: str = "") -> None:
        """The page of the run is shown, in that state where one is named: a page may show an earlier one at first."""
        if not self._signed_in:
            self.sign_in()
        self.page.goto(f"{self._root}/runs/flow-run/{run}")
        self._shown(state)

    def _shown(self, state: str = "") -> None:
        either = self.page.get_by_text("Suspended").or_(self.page.get_by_text("Completed"))
        (self.page.get_by_text(state) if state else either).first.wait_for()
        self._settle()

    def _settle(self) -> None:
        """The page has come to rest, or has had time to: some ask the server again and again."""
        with suppress(PlaywrightTimeout):
            self.page.wait_for_load_state("networkidle", timeout=GLANCE)

    def open_artifacts(self) -> None:
        """The artifacts of the run that is shown are in sight."""
        self.page.get_by_text("Artifacts", exact=True).first.click()
        self._settle()

    def open_artifact(self, artifact: str, sign: str) -> None:
        """The page of the artifact is shown, and on it what the selector finds."""
        self.page.goto(f"{self._root}/artifacts/artifact/{artifact}")
        self.page.locator(sign).first.wait_for()

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
        self._come_to_rest(form)
        return form

    def _come_to_rest(self, part: Locator) -> None:
        """Its text is what it was a moment ago: a description is drawn after the fields it stands above."""
        text = part.inner_text()
        for _ in range(RESTS):
            self.page.wait_for_timeout(REST)
            before, text = text, part.inner_text()
            if before == text:
                return

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

    def submit(self, form: Locator, code: tuple[str, Callable[[], str]] | None = None) -> None:
        """The form is sent, and the server took it: it closes.

        `code` is the title of a field and what a telephone shows for it now. It is typed last before each press, as a
        person does: while a busy page takes its time, a code read earlier goes out of date.
        """
        button = form.get_by_role("button", name="Resume" if self.look == "v2" else "Submit", exact=True)
        for _ in range(PRESSES):
            try:
                if code:
                    title, telephone = code
                    self.fill(form, {title: telephone()})
                button.click()
                form.wait_for(state="hidden")
            except PlaywrightTimeout:
                if form.is_visible():
                    continue
            return
        raise AssertionError(f"the form stays open: {self.page.locator('body').inner_text()}")

    def picture(self, name: str) -> Path:
        """What is seen now, as a picture."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        path = self.pictures / f"{name}-{self.look}.png"
        self.page.screenshot(path=path)
        self.taken.append(path)
        return path

    def close(self) -> None:
        """They leave."""
        self.page.close()
