"""One-time codes (RFC 6238): six digits of a secret and the half minute, which an approver's telephone shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any, Final

from mendory.errors import DependencyMissing

SECONDS: Final = 30
MOST_WRONG: Final = 5
"""So many wrong codes of an approver within `WINDOW` lock him out until the first of them is that old."""
WINDOW: Final = timedelta(hours=1)
_ISSUER: Final = "Mendory"


def matching_step(secret: str, code: str, at: datetime) -> int | None:
    """The half minute that the code is of, the one of `at` or a neighbour; None when it is of none.

    Every candidate is compared whole, in the same time whether it fits or not.
    """
    now = int(at.timestamp()) // SECONDS
    totp, given = _pyotp().TOTP(secret), code.encode("utf-8", "surrogatepass")
    found = None
    for step in (now - 1, now, now + 1):
        if compare_digest(totp.generate_otp(step).encode(), given):
            found = step
    return found


def new_secret() -> str:
    """A secret of 160 random bits, in base 32."""
    return str(_pyotp().random_base32())


def enrolment_uri(secret: str, name: str) -> str:
    """The address that an authenticator takes name and secret from."""
    return str(_pyotp().TOTP(secret).provisioning_uri(name=name, issuer_name=_ISSUER))


def in_fours(secret: str) -> str:
    """The secret as a person types it.

    >>> in_fours("ABCDEFGHIJ")
    'ABCD EFGH IJ'
    """
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


def locked_until(wrong: Sequence[datetime], now: datetime) -> datetime | None:
    """Until when the approver whose codes were wrong at these times is locked out; None when he is not.

    A time that lies ahead, since a clock was set back, counts.
    """
    recent = sorted(at for at in wrong if at > now - WINDOW)
    return recent[-MOST_WRONG] + WINDOW if len(recent) >= MOST_WRONG else None


def _pyotp() -> Any:
    try:
        import pyotp
    except ModuleNotFoundError:
        raise DependencyMissing(
            "One-time codes need pyotp, which is not installed. Nothing was done. Run: pip install 'mendory[codes]'."
        ) from None
    return pyotp
