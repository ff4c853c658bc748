"""What may be said of a service's address before anything is sent to it: pure."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_this_machine(host: str | None) -> bool:
    """True for localhost and loopback addresses.

    >>> is_this_machine("localhost"), is_this_machine("::1"), is_this_machine("10.0.0.1"), is_this_machine("a.org")
    (True, True, False, False)
    """
    if host is None:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_near(host: str) -> bool:
    """True for this machine, a private address, and a name without a dot: what a key may reach without https.

    >>> is_near("gpu-box"), is_near("192.168.1.5"), is_near("api.example.com"), is_near("8.8.8.8")
    (True, True, False, False)
    """
    if is_this_machine(host):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host


def complaint(url: str, has_key: bool) -> str | None:
    """What is wrong with the address of a service, or None.

    >>> complaint("https://api.example.com/v1", True), complaint("http://localhost:11434/v1", True)
    (None, None)
    >>> complaint("http://api.example.com/v1", True)
    'a key is sent over http only to this machine or a private network; write https://'
    """
    try:
        parts = urlsplit(url)
        port_is_sound = parts.port is None or parts.port > 0
    except ValueError:
        return "it is no URL"
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_sound:
        return "it must be http://host/… or https://host/…"
    if parts.username is not None or parts.password is not None:
        return "it must hold no user or password; name an environment variable in key_env"
    if parts.query or parts.fragment or not url.isascii() or any(ch.isspace() for ch in url):
        return "it must end with its path: no ?, no #, no blanks"
    if has_key and parts.scheme == "http" and not is_near(parts.hostname):
        return "a key is sent over http only to this machine or a private network; write https://"
    return None
