"""The one name of an attribute, whatever word a writer or an owner has for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mendory.claims.attributes import ATTRIBUTES, Singles
from mendory.language import fold
from mendory.text import is_blank

_ATTRIBUTES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("location", "city", "residence", "home", "address", "lives at", "居住地", "住址", "城市", "所在地", "住在"),
        "lives_in",
    ),
    **dict.fromkeys(("birthplace", "hometown", "place of birth", "出生地", "籍贯", "家乡"), "born_in"),
    **dict.fromkeys(
        ("company", "works at", "works for", "work at", "workplace", "公司", "雇主", "工作单位", "单位"), "employer"
    ),
    **dict.fromkeys(("occupation", "profession", "job title", "title", "role", "职业", "工作", "职位"), "job"),
    **dict.fromkeys(("date of birth", "dob", "birth date", "birthdate", "生日", "出生日期"), "birthday"),
    **dict.fromkeys(("sex", "性别"), "gender"),
    **dict.fromkeys(("marital status", "relationship status", "婚姻", "婚姻状况", "婚姻状态"), "marital"),
    **dict.fromkeys(("zodiac sign", "constellation", "星座"), "zodiac"),
    **dict.fromkeys(("due", "due date", "due on", "截止", "截止日期", "到期日"), "deadline"),
    **dict.fromkeys(("port number", "端口", "端口号"), "port"),
    **dict.fromkeys(
        (
            "project",
            "current project",
            "working on",
            "assigned to",
            "项目",
            "当前项目",
            "所在项目",
            "负责项目",
            "负责的项目",
        ),
        "works_on",
    ),
    **dict.fromkeys(("tool", "tools", "using", "software", "工具", "使用", "使用工具", "软件"), "uses"),
    **dict.fromkeys(("editor", "ide", "编辑器"), "tool:editor"),
    **dict.fromkeys(("framework", "框架"), "tool:framework"),
    **{"full name": "name", "名字": "name", "姓名": "name", "年龄": "age", "身高": "height", "体重": "weight"},
    **{"饮食": "diet", "版本": "version", "版本号": "version"},
}
"""The attribute that a writer means by another name, folded and with spaces between its words."""


def attribute_name(name: Any) -> str | None:
    """The name that claims have for an attribute: a declared one's, or the words folded and joined; None of no name.

    What follows a colon says of which it is.

    >>> [attribute_name(name) for name in ("jobTitle", "居住地", "Locker No", "tool: Editor")]
    ['job', 'lives_in', 'locker_no', 'tool:editor']
    >>> [attribute_name(name) for name in ("项目", "tool", "编辑器")]
    ['works_on', 'uses', 'tool:editor']
    """
    if not isinstance(name, str) or is_blank(name):
        return None
    whole, _, rest = name.partition(":")
    apart = "".join(f" {ch}" if ch.isupper() and at and whole[at - 1].islower() else ch for at, ch in enumerate(whole))
    words = fold(apart.replace("_", " ").replace("-", " "))
    plain = words.replace(" ", "_")
    of = fold(rest)
    if of and plain in ATTRIBUTES:
        return f"{plain}:{of}"
    # "tool" alone is what somebody uses, whatever for; "tool:editor" does one job
    base = plain if plain in ATTRIBUTES and plain != "tool" else _ATTRIBUTES.get(words, plain)
    return (f"{base}:{of}" if of else base) or None


def singles_of(names: Iterable[str]) -> Singles:
    """The attributes that an owner declares by these names; what is no name declares none."""
    return frozenset(found for name in names if (found := attribute_name(name)) is not None)
