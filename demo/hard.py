"""Hard negatives: memories that look alike and must not be touched."""

from __future__ import annotations

from typing import Final, NamedTuple


class Hard(NamedTuple):
    """One healthy memory that a careless repair would merge with a neighbour."""

    scopes: tuple[str, ...]
    kind: str
    topic: str
    scene: str
    entities: tuple[str, ...]
    text: str


_USERS: Final = ("user:li-wei", "user:wang-fang", "user:sarah-miller", "user:chen-hao", "user:tomas-novak")
_POWER: Final = "project:qingshan-dc"
_CALL: Final = "agent:oncall"

HARD: Final[tuple[Hard, ...]] = (
    # one text in several scopes: everybody's own
    Hard(_USERS[:3], "preference", "workday", "answers", ("assistant",), "Keep answers short and put the result first"),
    Hard(_USERS[2:], "preference", "工作习惯", "回答", ("助手",), "回答技术问题用中文，代码注释用英文"),
    Hard((_USERS[0], _USERS[4]), "preference", "food", "dining", ("restaurants",), "No coriander, ever"),
    Hard((_USERS[1], _USERS[3]), "preference", "饮食", "外出就餐", ("餐厅",), "不吃香菜，点菜时要说明"),
    Hard(
        (_POWER, "project:winterline"),
        "fact",
        "meetings",
        "schedule",
        ("steering group",),
        "The steering group meets on the first Thursday",
    ),
    Hard(
        ("project:harbor-crm", "project:atlas-mobile"),
        "procedure",
        "发布",
        "上线",
        ("变更单",),
        "周五下午不上线，紧急修复除外",
    ),
    Hard(
        (_CALL, "project:harbor-crm"),
        "procedure",
        "incidents",
        "on call",
        ("status page",),
        "Update the status page before answering customers",
    ),
    Hard(("agent:travel-desk", "agent:kitchen"), "procedure", "财务", "报销", ("发票",), "发票抬头必须写公司全称"),
    # units that differ by letter case alone, in two scopes
    Hard((_POWER,), "fact", "infrastructure", "power", ("hall B",), "The standby load is 5 MW"),
    Hard(("agent:research-notes",), "fact", "research", "experiments", ("sensor",), "The standby load is 5 mW"),
    Hard((_CALL,), "fact", "基础设施", "网络", ("edge-proxy",), "出口带宽上限是 10 Gb"),
    Hard(("project:atlas-mobile",), "fact", "基础设施", "存储", ("tile-server",), "出口带宽上限是 10 GB"),
    # one digit, a point, a word of negation, punctuation: in one scope
    Hard((_CALL,), "fact", "infrastructure", "services", ("status page",), "The status page is served from port 8080"),
    Hard(
        (_CALL,),
        "fact",
        "infrastructure",
        "services",
        ("status page admin",),
        "The status page is served from port 8090",
    ),
    Hard((_POWER,), "fact", "infrastructure", "power", ("busbar",), "Busbar rating is 1.5 kA"),
    Hard((_POWER,), "fact", "infrastructure", "power", ("busbar",), "Busbar rating is 15 kA"),
    Hard((_POWER,), "event", "会议", "决定", ("二路供电",), "3月5日二路供电切换演练通过"),
    Hard((_POWER,), "event", "会议", "决定", ("二路供电",), "3月15日二路供电切换演练通过"),
    Hard((_USERS[0],), "preference", "food", "dining", ("Jonas Berger",), "Jonas Berger eats shellfish"),
    Hard((_USERS[0],), "preference", "food", "dining", ("Claire Dubois",), "Claire Dubois doesn't eat shellfish"),
    Hard((_USERS[3],), "preference", "饮食", "外出就餐", ("陈晓雯",), "陈晓雯喜欢吃辣"),
    Hard((_USERS[3],), "preference", "饮食", "商务宴请", ("陈晓雯",), "陈晓雯不喜欢在商务宴请时吃辣"),
    Hard((_USERS[1],), "preference", "饮食", "外卖", ("王芳",), "王芳点奶茶要三分糖"),
    Hard((_USERS[1],), "preference", "饮食", "外卖", ("王建国",), "王建国点奶茶要七分糖"),
    Hard(
        ("project:tea-house",),
        "fact",
        "customers",
        "contracts",
        ("Mount Wuyi Growers",),
        "Mount Wuyi Growers deliver 12 kg a week",
    ),
    Hard(
        ("project:tea-house",),
        "fact",
        "customers",
        "contracts",
        ("Mount Wuyi Growers",),
        "Mount Wuyi Growers deliver 12 kg a week.",
    ),
    Hard(("project:tea-house",), "fact", "财务", "预算", ("品茗室",), "品茗室的押金是3000元"),
    Hard(("project:tea-house",), "fact", "财务", "预算", ("品茗室",), "品茗室的押金是３０００元"),
    Hard(
        ("project:winterline",),
        "event",
        "incidents",
        "outages",
        ("gate-controller",),
        "Gate 4 at the valley station jammed on 11 February",
    ),
    Hard(
        ("project:winterline",),
        "event",
        "incidents",
        "outages",
        ("gate-controller",),
        "Gate 4 at the valley station jammed on 12 February",
    ),
)
"""In every scope named; texts of one scope all differ in their exact key."""
