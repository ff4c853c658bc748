"""What is said of projects, services and settings: ports, versions, dates, tools, and what was changed for what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from mendory.language.claim import USER, Claim, Value, ValueKind
from mendory.language.folding import fold
from mendory.language.zh.claims.lexicon import one_of
from mendory.language.zh.claims.projects import WORD as PROJECT
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import day, fact, term, thing, tool

_TO = (
    r"(?:已经?|现在?|也|就|都)?(?:是|为|:|=|用|改用|改为|改成|改到|换成|换到|调整为|变更为|变为|更新为|设为|设置为"
    r"|升级到|升级为|升到|切换到|迁移到)?\s?"
)
_CHANGED = re.compile(r"改|换|调整|变|更新|升|切换|迁移")
_PORT = re.compile(
    rf"端口号?(?:[从由]\s?(?P<old>\d{{2,5}})\s?)?{_TO}(?P<n>\d{{2,5}})(?!\d)|(?:监听|使用|运行在?|占用|用|在)\s?(?P<n2>\d{{2,5}})\s?(?:号)?端口"
    rf"|^(?:的|默认)*端口\s?(?P<n3>\d{{2,5}})$"
)
_VERSION = re.compile(
    rf"(?P<name>[A-Za-z][\w+#.]*?)?\s?(?:的)?版本号?(?:从\s?v?(?P<old>\d+(?:\.\d+)*)\s?)?{_TO}[vV]?(?P<v>\d+(?:\.\d+)*)"
    r"|(?:升级|更新|升|回退|降级)(?:到|为|至)\s?(?P<name2>[A-Za-z][A-Za-z+#.]*\s)?[vV]?(?P<v2>\d+(?:\.\d+)*)(?:版本|版)?$"
)
_NUMBERED = re.compile(
    r"(?P<name>python|node|java|go|rust|react|vue|django|postgres|mysql|redis)\s?[vV]?(?P<v>\d+(?:\.\d+)+)",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"(?:截止(?:日期|时间|日)?|期限|最后期限|DDL|ddl|交付(?:日期|时间)|到期(?:日|时间)?)(?:已经?)?"
    + _TO.replace("改到", "改到|推迟到|延期到|提前到|延到")
)
_DUE_BY = re.compile(
    r"(?:要|需要?|必须|应该?|得|会|计划)?(?:在|于)(?P<when>[^，,。]{2,12}?)(?:之前|以前|前)"
    r"(?:完成|交付|提交|上线|发布|交)(?P<what>[^，,。]{0,12})$"
)
_HELD = re.compile(
    rf"(?P<what>{one_of('events')})(?:时间|日期)?(?:已经?)?(?P<how>定在|安排在|改到|改为|改在|推迟到|延期到|提前到|挪到|在|是)(?P<when>[^，,。]+)"
)
_SWITCHED = re.compile(
    r"从\s?(?P<old>[^，,。从]{1,14}?)\s?(?:全面|正式|全部|彻底)?(?:切换|迁移|转|换|改用|改|升级|切)(?:回到?|到|为|成|至|用)?了?\s?(?P<new>[^，,。]{1,14})$"
    r"|(?:把\s?(?P<old2>[^，,。]{1,14}?)\s?)?(?:换成|切换到|切换为|改用|改成用|迁移到|转用|改为使用|换到|换回|切换?回|用回|改回)了?\s?(?P<new2>[^，,。]{1,14})$"
)
_USES = re.compile(
    r"(?P<no>不再|不|没有?|已经不)?(?:主要|一直|只|平时|日常|都|还在|现在)*(?:使用|用|在用)\s?"
    r"(?P<what>[A-Za-z][\w+#.]*(?: [A-Za-z]+)?|[一-鿿]{2,6}模式|空格)"
)
_ADVISES = re.compile("建议|推荐|要求|希望|想|认为|觉得|考虑|问|是否")
_PHONE = re.compile(
    r"(?:电话|手机|手机号|手机号码|电话号码|联系电话|新号码)(?:号码?)?(?:是|为|:|改为|换成|改成|已?更新为)+\s?"
    r"(?P<n>\d[\d -]{3,18}\d)"
)
_MAIL = re.compile(
    r"(?:邮箱|邮件|电子邮箱|邮箱地址)(?:地址)?(?:是|为|:|改为|换成|改成)+\s?(?P<n>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
)
_STAGE = "(?:生产|线上|正式|现网|预发布?|预生产|仿真|测试|联调|验收|开发|研发|灰度|沙箱|沙盒|本地|本机|演示)"
_HOST = "(?:环境|集群|服务器|机房)"
_HEAD = re.compile(
    rf"^(?P<what>[A-Za-z][\w .-]{{0,20}}|[^，,。的从]{{2,12}}?)(?:的)?(?:{_STAGE}{_HOST}?(?:上|里|中)?的?)?"
    r"(?:默认|监听|开放|访问)?(?=端口|版本|截止|期限|DDL|ddl|交付|到期|监听|运行|使用|占用)"
)
_WHERE = re.compile(rf"^(?:在|于)?{_STAGE}{_HOST}(?:上|里|中)?(?:的)?|(?:在|于)?{_STAGE}{_HOST}?(?:上|里|中)?$")
_TAIL = re.compile(r"(?:了|的|来.*|做.*|写.*|作为.*|进行.*|开发.*|管理.*|框架|数据库|编辑器|浏览器|缩进)$")


def settings(said: Saying) -> Iterator[Claim]:
    """Claims of `port`, `version`, `deadline`, `scheduled`, `tool`, `uses`, `phone` and `email`."""
    text, who = said.text, _whose(said)
    if (port := _PORT.search(text)) and who is not None:
        old = port["old"]
        value = port["n"] or port["n2"] or port["n3"]
        ends = bool(_CHANGED.search(port.group()))
        before = (_digits(old),) if old else ()
        yield fact(said, "port", _digits(value), sure=0.92, subject=who, ends=ends, before=before)
    if who is not None:
        yield from _version(said, who)
        yield from _due(said, who)
        yield from _due_by(said)
    if held := _HELD.search(text):
        when = day(held["when"])
        if when is not None:
            moved = held["how"] not in ("在", "是", "定在", "安排在")
            subject = fold(re.sub(r"^(?:我们?|和|跟|与)?的?", "", text[: held.start()])) + held["what"]
            yield fact(said, "scheduled", when, sure=0.85, subject=subject, ends=moved)
    if said.subject is not None:
        for about, pattern in (("phone", _PHONE), ("email", _MAIL)):
            if number := pattern.search(text):
                ends = bool(_CHANGED.search(number.group()))
                yield fact(
                    said,
                    about,
                    term(number["n"].casefold() if about == "email" else re.sub("[ -]", "", number["n"])),
                    sure=0.9,
                    ends=ends,
                )
        yield from _tools(said)


def _whose(said: Saying) -> str | None:
    """The service or project a setting is of; the user's where none is named."""
    if said.own and said.subject is not None and said.subject != USER:
        return said.subject
    head = _HEAD.match(said.text)
    what = re.sub(r"(?:我们|我|用户|的)", "", head["what"]).strip() if head else ""
    what = _WHERE.sub("", what)
    what = re.sub(r"(?:已|已经|现在|目前|将|改|把|部署在?|启动在?|跑在|位于|现|在|\d+)+$", "", what)
    return None if what.endswith(("说", "表示", "问")) else fold(what) or USER


def _digits(text: str) -> Value:
    return Value(ValueKind.NUMBER, text, Decimal(text))


def _version(said: Saying, who: str) -> Iterator[Claim]:
    found = _VERSION.search(said.text)
    named = _NUMBERED.search(said.text)
    if found:
        name = (found["name"] or found["name2"] or "").strip().casefold()
        about = f"version:{name}" if name else "version"
        before = (term(found["old"]),) if found["old"] else ()
        ends = bool(_CHANGED.search(found.group()))
        subject = USER if name and fold(name) == who else who
        yield fact(said, about, term(found["v"] or found["v2"]), sure=0.85, subject=subject, before=before, ends=ends)
    elif named and re.search(r"用|升级|运行|要求|需要|版本", said.text):
        ends = "升级" in said.text
        yield fact(said, f"version:{named['name'].casefold()}", term(named["v"]), sure=0.8, subject=USER, ends=ends)


def _due(said: Saying, who: str) -> Iterator[Claim]:
    if found := _DUE.search(said.text):
        when = day(said.text[found.end() :])
        if when is not None:
            yield fact(
                said, "deadline", when, sure=0.9, subject=who, ends=bool(re.search("改|推迟|延|提前", said.text))
            )


def _due_by(said: Saying) -> Iterator[Claim]:
    if (found := _DUE_BY.search(said.text)) and (when := day(found["when"])) is not None:
        head = fold(re.sub(r"(?:我们|我|用户|要|会|需|必须|得)+$", "", said.text[: found.start()]))
        yield fact(said, "deadline", when, sure=0.8, subject=fold(found["what"]) or head or USER)


def _tools(said: Saying) -> Iterator[Claim]:
    if found := _SWITCHED.search(said.rest):
        if PROJECT in found.group():
            return
        new, old = _clean(found["new"] or found["new2"]), _clean(found["old"] or found["old2"] or "")
        job = tool(new)
        before = (term(old),) if old and (job is None or tool(old) == job) else ()
        if job:
            for about in (f"tool:{job}", f"favourite:{job}", "uses"):
                yield fact(said, about, term(new), sure=0.85, before=before, ends=True)
        elif old and new and not re.search(r"\d|端口|版本", new + old):
            yield fact(said, "uses", term(new), sure=0.7, before=before, ends=True)
        return
    if (found := _USES.search(said.rest)) and not _ADVISES.search(said.rest[: found.start()]):
        name = _clean(found["what"])
        job, no = tool(name), bool(found["no"])
        if job:
            yield fact(said, "uses", term(name), sure=0.85, denied=no, ends=found["no"] in ("不再", "已经不"))
            if not no and job not in ("programming language", "browser", "chat", "cloud"):
                yield fact(said, f"tool:{job}", term(name), sure=0.7)


def _clean(text: str) -> str:
    return thing(_TAIL.sub("", text.strip()).strip())
