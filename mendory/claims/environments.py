"""Environments of a service: what is set in one of them says nothing of another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENGLISH: Final[Mapping[str, str]] = MappingProxyType(
    {
        "production": "production|prod|live",
        "staging": "staging|pre-?prod(?:uction)?",
        "test": "test(?:ing)?|qa|uat",
        "development": "dev(?:elopment)?",
        "canary": "canary",
        "sandbox": "sandbox",
        "local": "local",
        "demo": "demo",
    }
)
_CHINESE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "production": "生产|线上|正式|現網|现网|生產|線上",
        "staging": "预发布?|預發布?|预生产|預生產|仿真",
        "test": "测试|測試|联调|聯調|验收|驗收",
        "development": "开发|開發|研发|研發",
        "canary": "灰度|金丝雀|金絲雀",
        "sandbox": "沙箱|沙盒",
        "local": "本地|本机|本機",
        "demo": "演示",
    }
)
_PLACES: Final = "environments?|env|clusters?|stages?|deployments?|instances?|servers?|namespaces?|setups?|site"
_FOUND: Final = tuple(
    (
        name,
        re.compile(
            rf"\b(?:{words})\s+(?:{_PLACES}|ports?|versions?)\b|\b(?:in|on|for)\s+(?:the\s+)?(?:{words})\b(?!\s+of\b)",
            re.IGNORECASE,
        ),
    )
    for name, words in _ENGLISH.items()
) + tuple(
    (
        name,
        re.compile(
            rf"(?:{words})(?:环境|環境|集群|叢集|服务器|伺服器|服(?!务|務)|机房|機房|的?端口|版本?|站)|(?:在|于|於)(?:{words})(?!人员|人員|者|部|商)"
        ),
    )
    for name, words in _CHINESE.items()
)
_CLAUSE: Final = re.compile(r"[,，、;；。\n]|\.(?!\d)|\b(?:and|but|while)\b|而")


def environments(text: str) -> frozenset[str]:
    """The environments that the text names as where something holds, by one name each in both languages.

    >>> sorted(environments("In staging it listens on 8080")), sorted(environments("网关的线上端口是 9090"))
    (['staging'], ['production'])
    """
    return frozenset(name for name, pattern in _FOUND if pattern.search(text))


def environments_of(value: str, text: str) -> frozenset[str]:
    """Those of a value: where the text names several, those of its clauses that name the value, if they name any.

    >>> sorted(environments_of("8080", "线上端口是 8080,测试端口是 9090"))
    ['production']
    """
    held = environments(text)
    if len(held) < 2:
        return held
    beside = (environments(clause) for clause in _CLAUSE.split(text) if value and value in clause)
    return frozenset().union(*beside) or held
