"""A Prefect server as its API gives it: JSON in, JSON out, failures as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.exceptions import PrefectHTTPStatusError
from prefect.settings import get_current_settings

from mendory.errors import InputInvalid, Unavailable

_PAGE = 200


class Api:
    """One server; every call is one request, with its authorisation and its token against forged ones."""

    def __init__(self, client: SyncPrefectClient) -> None:
        self._client = client

    def get(self, path: str) -> Any:
        """What is at the path; None where nothing is."""
        try:
            return self._call("GET", path)
        except PrefectHTTPStatusError as error:
            if error.response.status_code == httpx.codes.NOT_FOUND:
                return None
            raise

    def post(self, path: str, body: Any) -> Any:
        """The answer to the body."""
        return self._call("POST", path, body)

    def patch(self, path: str, body: Any) -> None:
        """The object at the path is changed."""
        self._call("PATCH", path, body)

    def put(self, path: str, body: Any) -> None:
        """The object at the path is replaced."""
        self._call("PUT", path, body)

    def delete(self, path: str) -> None:
        """There is nothing at the path."""
        try:
            self._call("DELETE", path)
        except PrefectHTTPStatusError as error:
            if error.response.status_code != httpx.codes.NOT_FOUND:
                raise

    def all(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Everything a filter finds, page by page."""
        found: list[dict[str, Any]] = []
        while True:
            page = self.post(path, body | {"limit": _PAGE, "offset": len(found)})
            found += page
            if len(page) < _PAGE:
                return found

    def _call(self, method: Any, path: Any, body: Any = None) -> Any:
        response = self._client.request(method, path, **({} if body is None else {"json": body}))
        return response.json() if response.content else None


@contextmanager
def configured() -> Iterator[Api]:
    """The server that Prefect's own settings name. Raises InputInvalid when they name none."""
    url = get_current_settings().api.url
    if not url:
        raise InputInvalid(
            "No Prefect server is named. Nothing was written. "
            "Set PREFECT_API_URL, e.g. http://127.0.0.1:4200/api, and PREFECT_API_AUTH_STRING where it asks for one."
        )
    with told(url), get_client(sync_client=True) as client:
        yield Api(client)


@contextmanager
def told(url: str) -> Iterator[None]:
    """Failures of the server inside are raised as errors of ours."""
    try:
        yield
    except PrefectHTTPStatusError as error:
        status = error.response.status_code
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise InputInvalid(
                f"The server at {url} does not let us in ({status}). What was done before stands, nothing more was. "
                "Set PREFECT_API_AUTH_STRING or PREFECT_API_KEY to what it asks for."
            ) from None
        raise Unavailable(
            f"The server at {url} answered {status} to {error.request.method} {error.request.url.path}: "
            f"{error.response.text[:300]}. What was done before stands, nothing more was. Mend it and deploy again."
        ) from None
    except httpx.TransportError as error:
        raise Unavailable(
            f"No server answers at {url} ({type(error).__name__}). What was done before stands, nothing more was. "
            "Start it, or mend PREFECT_API_URL, and deploy again."
        ) from None
