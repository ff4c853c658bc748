"""What is set to a value, by the noun of the setting: 超时改为 30 秒, 默认分支是 main."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.language.claim import USER, Claim, Value
from mendory.language.folding import fold
from mendory.language.zh.claims.lexicon import named, one_of
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import amount, fact, term
from mendory.language.zh.scan import scan

_NOUNS = {noun: name for name, nouns in named("settings") for noun in nouns}
_IS = r"(?:是|为|:|=|设为|设置为|设成|设定为|配置为|用)"
_CHANGED = (
    "(?:改用|改为|改成|改到|换成|换为|调整为|调整到|调整成|变更为|变为|更新为|降到|降为|降至|提高到|提到|升到|增加到|延长到"
    "|缩短到|切换到)"
)
_SETTING = re.compile(
    rf"(?P<what>{'|'.join(sorted(_NOUNS, key=len, reverse=True))})(?:值|设置|配置)?"
    rf"(?:[从由]\s?(?P<old>[^，,。从]{{1,12}}?)\s?)?"
    rf"(?:已经?|现在?|也|就|都|要|统一|目前|默认)*(?:(?P<change>{_CHANGED})|{_IS})了?\s?"
    r"(?P<new>[^，,。]{1,20}?)(?:了|啦)?$"
)
_ANY = re.compile(
    r"(?P<what>[一-鿿]{2,6}?)(?:[从由]\s?(?P<old>[^，,。从]{1,12}?)\s?)?"
    rf"(?:已经?|现在?|统一)?(?:{_CHANGED}|设为|设置为)了?\s?"
    r"(?P<new>[^，,。]{1,20}?)(?:了|啦)?$"
)
_ELSEWHERE = re.compile(one_of("told_elsewhere"))
_WORD = re.compile(r"[A-Za-z][\w./+#-]*(?: [A-Z]\w*)?")
_NAMED = re.compile(r"(?!.*[的了]$)[一-鿿]{2,6}")
_AROUND = re.compile(
    r"^(?:我们?|用户|把|将|现在|已经?|目前|请|要|的)+|(?:的|默认|已经?|现在|目前|把|将|最大|请求|连接)+$"
)
_OF_THINGS: Final = frozenset({"detail:price", "detail:size", "detail:capacity", "detail:limit"})
"""What many things have: of whose nobody says it is nobody's."""
_LONG: Final = 10


def details(said: Saying) -> Iterator[Claim]:
    """Claims of `detail`."""
    if found := _SETTING.search(said.text):
        about, sure = f"detail:{_NOUNS[found['what']]}", 0.85
    elif (found := _ANY.match(said.rest if said.subject == USER else said.text)) and not _ELSEWHERE.search(
        found["what"]
    ):
        about, sure = f"detail:{_AROUND.sub('', found['what'])}", 0.7
    else:
        return
    changed = bool(found.groupdict().get("change")) or sure < 0.8
    value, before = _value(found["new"], changed and sure > 0.8), _value(found["old"] or "", named_too=True)
    whose = _AROUND.sub("", found.string[: found.start()]).strip()
    known = len(whose) <= _LONG and (whose or about not in _OF_THINGS) and about != "detail:"
    if value is not None and known:
        subject = fold(whose) or USER
        yield fact(said, about, value, sure=sure, subject=subject, before=(before,) if before else (), ends=changed)


def _value(text: str, named_too: bool) -> Value | None:
    """A quantity or a Latin word; with `named_too` a Chinese word as well."""
    quantities = scan(text).quantities
    if len(quantities) == 1 and re.match(r"[\d.一二两三四五六七八九十百千万半¥$]", text):
        return amount(quantities[0])
    if _WORD.fullmatch(text) or (named_too and _NAMED.fullmatch(text)):
        return term(fold(text))
    return None
