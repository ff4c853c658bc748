"""What somebody does for a living, where, what somebody studies, and which languages somebody speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.language.claim import Claim, Value
from mendory.language.folding import fold
from mendory.language.zh.claims.lexicon import forms, one_of
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import fact, given_away, term
from mendory.language.zh.lexicon import SAME
from mendory.language.zh.lexicon import words as of_pack

_JOBS = one_of("jobs")
_FORMS = forms("job_forms")
_ONE = r"(?:一[个名位]|个|名|位)?"
_NOW = r"(?:现在|目前|已经|已|也|就|还|都|一直|曾经|曾|以前|正式)*"
_PLACES = "公司|团队|部门|集团|医院|学校|大学|项目组|项目|银行"
_IS_A = re.compile(
    rf"^{_NOW}(?P<no>不再?|不)?是{_ONE}(?:[^，,。是]{{0,10}}(?:{_PLACES})的?)?"
    rf"(?P<what>[^，,。是的]{{0,8}}?(?:{_JOBS}))(?:了|啦|呢|啊)?$"
)
_WORKS_AS = re.compile(
    rf"(?:职业|工作|职位|岗位|身份)(?:{_NOW})(?:是|为|:|改为|变成|变更为){_ONE}(?P<what>[^，,。]{{0,8}}?(?:{_JOBS}))$"
    rf"|(?P<no>不再)?(?:担任|从事|当上|当|做){_ONE}(?:了)?(?!的)(?P<what2>[^，,。]{{0,8}}?(?:{_JOBS}))(?:一职|工作|的工作|了)?$"
    rf"|(?:转行|转岗|改行|升职|晋升|升任|转)(?:去)?(?:做|当|为|成)?(?:了)?(?P<new>[^，,。]{{0,8}}?(?:{_JOBS}))$"
)
_RETIRED = re.compile(r"(?:已经?|刚|去年|今年|正式)?退休(?:了|在家|金)?$")
_JOBLESS = re.compile(r"(?:失业|待业|没有?工作|无业)(?:了|中|在家)?$")
_AT = (
    rf"(?P<where>[^，,。在的读念学]{{0,10}}?(?:公司|集团|银行|医院|学校|大学|学院|中学|小学|幼儿园|研究所|研究院|事务所|工厂|厂"
    rf"|法院|检察院|政府|部队|报社|出版社|酒店|餐厅|工作室|实验室|科技|证券|保险|{'|'.join(sorted(of_pack('brands')))})"
    r"|[A-Z][A-Za-z]+(?: [A-Z][a-z]+)?)"
)
_WORKS_AT = re.compile(
    rf"(?P<no>不再|没)?(?:在|就职于|任职于|供职于|入职了?|加入了?|跳槽到了?|加盟|公司是|雇主是|雇主为|单位是)(?P<all>{_AT})"
    r"(?:工作|上班|任职|就职|实习|当|做|担任|$|了$)"
)
_ANY = (
    "(?:一家|某家?|大|小|外资|互联网|家|软件|当前|目前|现在的?|这家|那家|我们|自己|原来?|前|新|老)?"
    "(?:公司|集团|银行|医院|学校|大学|工厂|厂|酒店|餐厅|幼儿园|小学|中学)"
)
"""Of which kind an employer is, not which one: 医院."""
_FROM_AT = re.compile(
    r"从(?P<old>[^，,。]{2,12}?)(?:跳槽|离职|辞职)(?:到|去|至|后加入|加入)?了?(?P<new>[^，,。]{2,12})?$"
)
_LEFT = re.compile(
    r"(?:离开了?(?P<old>[^，,。]{2,10}(?:公司|集团|银行|医院|学校))|(?:已经?|刚|正式)?(?:离职|辞职|裸辞|被裁)(?:了|员了)?$)"
)
_STUDIES_AT: Final = re.compile(
    r"(?:就读于|在读于|考上了?|在)(?P<where>[^，,。在读念]{2,10}?(?:大学|学院|中学|高中|小学|附中|一中))(?:读|上学|念|学习|就读|$)"
)
_GRADUATED = re.compile(
    r"毕业于(?P<where>[^，,。]{2,12}?(?:大学|学院|中学|高中|学校))|(?P<from>[^，,。是从]{2,10}?(?:大学|学院))毕业"
)
_MAJOR = re.compile(r"(?:专业(?:是|为|:)|主修)(?P<what>[^，,。]{2,10})|(?:读|学)(?P<what2>[^，,。]{2,8})专业")
_SPEAKS = re.compile(
    r"(?P<no>不)?(?:会说|会讲|能说|说|讲|精通|母语(?:是|为|:)|懂)(?P<what>[^，,。]{0,10}(?:语|文|话|English))"
)
_LANGUAGE = re.compile(r"(?:普通话|粤语|[一-鿿]{1,3}(?:语|文|话))")


_BESIDE = re.compile("兼职|兼任|副业|业余|斜杠|周末|课余|下班后|闲暇|贴补家用|补贴家用|外快|第二份工作")
"""What is done beside another occupation, which it does not exclude."""


def work(said: Saying) -> Iterator[Claim]:
    """Claims of `job`, `employer`, `study`, `studied` and `speaks`."""
    if said.subject is None:
        return
    rest = said.rest.lstrip("的")
    yield from _job(said, rest)
    yield from _employer(said, rest)
    if (at := _STUDIES_AT.search(rest)) and "毕业" not in rest:
        yield fact(said, "study", term(fold(at["where"])), sure=0.8)
    if done := _GRADUATED.search(rest):
        yield fact(said, "studied", term(fold(done["where"] or done["from"])), sure=0.85)
    if major := _MAJOR.search(rest):
        yield fact(said, "detail:major", term(fold((major["what"] or major["what2"]).rstrip("的"))), sure=0.8)
    if speaks := _SPEAKS.search(rest):
        for language in _LANGUAGE.findall(re.sub("[、和与及]", " ", speaks["what"])):
            yield fact(said, "speaks", term(SAME.get(language, language)), sure=0.8, denied=bool(speaks["no"]))


def _job(said: Saying, rest: str) -> Iterator[Claim]:
    if found := _IS_A.search(rest) or _WORKS_AS.search(rest):
        groups = found.groupdict()
        what = groups.get("what") or groups.get("what2") or groups.get("new") or ""
        sure = 0.9 if groups.get("what") else 0.8
        sure = min(sure, given_away(0.75)) if _BESIDE.search(said.text) else sure
        over = bool(groups.get("no"))
        ends = bool(groups.get("new")) or any(word in found.group() for word in ("改为", "变成", "不再"))
        yield fact(said, "job", _named(what), sure=sure, denied=over, ends=ends)
    elif _RETIRED.search(rest):
        yield fact(said, "job", term("退休"), sure=0.9, ends=True)
    elif _JOBLESS.search(rest):
        yield fact(said, "job", term("无业"), sure=0.8)


def _named(what: str) -> Value:
    """A job in its one form, with the jobs it is a sort of: 儿科护士 is a 护士."""
    said = fold(what)
    said = _FORMS.get(said, SAME.get(said, said))
    ends = (_FORMS.get(said[at:], SAME.get(said[at:], said[at:])) for at in range(1, len(said) - 1))
    return term(said, *(one for one in ends if one in _ALL))


_ALL = frozenset(_FORMS.get(one, SAME.get(one, one)) for one in _JOBS.split("|"))


def _employer(said: Saying, rest: str) -> Iterator[Claim]:
    if (found := _FROM_AT.search(rest)) and found["old"]:
        old = term(_company(found["old"]))
        if found["new"]:
            yield fact(said, "employer", term(_company(found["new"])), sure=0.9, before=(old,), ends=True)
        else:
            yield fact(said, "employer", old, sure=0.9, denied=True, ends=True)
    elif found := _LEFT.search(rest):
        values = (term(_company(found["old"])),) if found["old"] else ()
        yield fact(said, "employer", *values, sure=0.8, denied=True, ends=True)
    elif (found := _WORKS_AT.search(rest)) and not _student(rest) and not _unnamed(found["all"]):
        joins = found.group().startswith(("入职", "加入", "跳槽", "加盟"))
        yield fact(said, "employer", term(_company(found["all"])), sure=0.85, denied=bool(found["no"]), ends=joins)


def _unnamed(employer: str) -> bool:
    """Whether it is said of which kind an employer is, not which one: 医院, 一家设计公司."""
    return bool(re.fullmatch(_ANY, employer) or re.match(r"(?:一[家个所间]|某)[^A-Za-z]*$", employer))


def _student(rest: str) -> bool:
    return any(word in rest for word in ("读书", "上学", "读研", "念书", "就读"))


def _company(name: str) -> str:
    """A company without the words for one: 阿里巴巴集团 is 阿里巴巴; a name that is nothing else stays."""
    said = fold(re.sub(r"^(?:一家|家|了|某)", "", name.strip()))
    return re.sub(r"(?:有限公司|公司|集团)$", "", said) or said
