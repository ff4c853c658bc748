"""The spaces of the demo and who is in them: people, clients, projects and services by scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from demo.phrases import Banks, banks


@dataclass(frozen=True, slots=True)
class Space:
    """One scope: its name, its topics, and the words that only it uses, per language."""

    scope: str
    topics: tuple[str, ...]
    en: Banks
    zh: Banks


_LIFE: Final = ("food", "travel", "health", "family", "home", "money", "workday")
_WORK: Final = ("meetings", "infrastructure", "releases", "customers", "incidents", "workday", "research")
_DESK: Final = ("travel", "customers", "money", "workday", "meetings", "food")
_DUTY: Final = ("incidents", "infrastructure", "releases", "workday", "meetings")


def _space(scope: str, topics: tuple[str, ...], en: dict[str, str], zh: dict[str, str]) -> Space:
    return Space(scope, topics, banks(en), banks(zh))


def _circle(en: str, zh: str) -> tuple[dict[str, str], dict[str, str]]:
    """People of a private life, their names doubling as those who cover for each other."""
    return {"p": en, "q": en}, {"p": zh, "q": zh}


def _team(
    people: tuple[str, str], projects: tuple[str, str], services: str, clients: tuple[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """People, projects, services and clients of a team, (English, Chinese)."""
    both = [
        {"p": people[at], "q": people[at], "project": projects[at], "svc": services, "company": clients[at]}
        for at in (0, 1)
    ]
    return both[0], both[1]


SPACES: Final[tuple[Space, ...]] = (
    _space(
        "user:li-wei",
        _LIFE,
        *_circle(
            "Li Wei|Emma Li|Jonas Berger|Claire Dubois|Old Mr Li|Hannah Vogel|Marco Rossi|Ines Prado",
            "李薇|李国强|周敏|林小夏|赵阿姨|高翔|何静|老李",
        ),
    ),
    _space(
        "user:wang-fang",
        _LIFE,
        *_circle(
            "Fang Wang|Oliver Grant|Sophie Lang|Daniel Kim|Aunt Mei|Kate Morris|Paul Novotny|Lucy Chen",
            "王芳|王建国|陈磊|刘洋|王奶奶|许佳|宋文博|小米",
        ),
    ),
    _space(
        "user:sarah-miller",
        _LIFE,
        *_circle(
            "Sarah Miller|Tom Miller|Grandma Ruth|Ben Carter|Zoe Adler|Nadia Haddad|Leo Miller|Mrs Okafor",
            "萨拉|马晓明|郭婷|谢雨|丁老师|范一鸣|沈阿姨|小汤姆",
        ),
    ),
    _space(
        "user:chen-hao",
        _LIFE,
        *_circle(
            "Hao Chen|Julia Stein|Victor Moreau|Ryan Walsh|Anna Petrova|Mia Chen|Uncle Feng|Karin Holm",
            "陈浩|陈晓雯|唐立|徐梦|老陈|叶青|程远|苏婉",
        ),
    ),
    _space(
        "user:tomas-novak",
        _LIFE,
        *_circle(
            "Tomas Novak|Petra Novakova|Jiri Dvorak|Eva Horak|Martin Kral|Lena Schulz|Ondrej Maly|Alice Ward",
            "托马斯|蒋丽|韩冰|罗伟|方圆|彭涛|邹媛|汪洋",
        ),
    ),
    _space(
        "project:harbor-crm",
        _WORK,
        *_team(
            (
                "Priya Raman|Dan Whitfield|Mei Zhang|Lukas Meyer|Olga Sidorova|Sam Patel",
                "张梅|黄志远|邓超|梁静|曾毅|潘悦",
            ),
            (
                "Harbor CRM|the contact import|Harbor Mobile|the lead scoring rollout",
                "港湾CRM|联系人导入|港湾移动端|线索评分",
            ),
            "crm-api|crm-web|lead-scorer|contact-sync|mailer|audit-log",
            ("Fjord Shipping|Bellweather Foods|Alder Insurance|Kestrel Air", "远航物流|金谷食品|安泰保险|云鹰航空"),
        ),
    ),
    _space(
        "project:qingshan-dc",
        _WORK,
        *_team(
            ("Wei Sun|Grace Lin|Hugo Lindqvist|Farah Aziz|Min Zhao|Peter Hall", "孙伟|林倩|赵敏华|秦朗|白雪|顾峰"),
            (
                "Qingshan Data Centre|the cooling retrofit|the second power feed|hall B",
                "青山数据中心|冷却改造|二路供电|B栋机房",
            ),
            "bms-gateway|power-meter|chiller-control|door-access|ups-monitor|asset-db",
            ("Huadong Power|Lumen Cooling|Stone Bridge Capital|Delta Cabling", "华东电力|鲁能制冷|石桥资本|达塔布线"),
        ),
    ),
    _space(
        "project:atlas-mobile",
        _WORK,
        *_team(
            ("Nina Kovacs|Arjun Mehta|Chloe Martin|Felix Braun|Yun Gao|Isaac Cole", "高云|魏然|贾楠|任重|余欢|卢森"),
            (
                "Atlas Mobile|the offline maps|the new onboarding|the tablet layout",
                "阿特拉斯客户端|离线地图|新手引导|平板布局",
            ),
            "tile-server|auth-service|push-relay|route-engine|map-cache|crash-collector",
            ("Polar Outdoors|City of Ghent|TrailMate|Metro Lines", "极地户外|根特市政|行迹科技|城轨集团"),
        ),
    ),
    _space(
        "project:tea-house",
        ("meetings", "customers", "money", "food", "workday", "home", "research"),
        *_team(
            ("Jing Xu|Elsa Berg|Kenji Mori|Ruth Abele|Noah Fischer|Lin Tao", "徐静|陶林|毛峰|龚雪梅|季明|祝英"),
            ("the tea house reopening|the autumn menu|the tasting room|the web shop", "茶馆重开|秋季菜单|品茗室|网店"),
            "till|web-shop|stock-list|booking-page",
            (
                "Mount Wuyi Growers|Porcelain & Co|Green Leaf Logistics|Old Town Council",
                "武夷茶农合作社|景德瓷坊|绿叶物流|老城街道办",
            ),
        ),
    ),
    _space(
        "project:winterline",
        _WORK,
        *_team(
            ("Astrid Nilsen|Bjorn Dahl|Camila Torres|Ivan Markov|Shu Wen|George Hale", "文舒|郝健|倪虹|严松|薛冰|雷鸣"),
            (
                "Winterline|the timetable feed|the ticket gates|the snow sensors",
                "冬线铁路|时刻表接口|检票闸机|雪情传感器",
            ),
            "timetable-feed|gate-controller|ticket-core|snow-sensor|seat-map|fare-engine",
            ("Nordbahn|Alpine Lifts|SkiPass Europe|Summit Hotels", "北方铁路局|阿尔卑索道|滑雪通|巅峰酒店"),
        ),
    ),
    _space(
        "agent:travel-desk",
        _DESK,
        *_team(
            ("Marta Silva|Kevin Doyle|Aisha Bello|Simon Roth|Ling Hu|Beth Nolan", "胡玲|钱进|鲁平|尹航|莫言秋|常乐"),
            (
                "the Lisbon offsite|the spring roadshow|the sales summit|the Kyoto visit",
                "里斯本团建|春季路演|销售峰会|京都考察",
            ),
            "booking-bot|fare-watch|visa-tracker",
            ("Aster Pharma|Brook & Vale|Nimbus Labs|Orchid Media", "紫苑制药|溪谷律所|雨云实验室|兰花传媒"),
        ),
    ),
    _space(
        "agent:kitchen",
        ("food", "home", "family", "health", "money", "travel"),
        *_circle(
            "Chef Laurent|Rosalind|Max Huber|Yara Costa|Little Ada|Mr Bianchi|Tessa Wu|Henry Ford-Jones",
            "吴师傅|阿珍|小宝|贺奶奶|傅强|洪姐|柳叶|康康",
        ),
    ),
    _space(
        "agent:oncall",
        _DUTY,
        *_team(
            ("Rafael Ortiz|Sana Iqbal|Dmitri Orlov|Wendy Park|Tao Jin|Joel Haas", "金涛|夏雨|田野|侯亮|段誉飞|石磊"),
            ("the on-call rota|the pager migration|the status page|the chaos day", "值班表|告警迁移|状态页|混沌演练"),
            "edge-proxy|billing-core|search-index|session-store|image-resizer|event-bus|config-hub|feature-flags",
            ("Cobalt Bank|Fern Retail|Sable Games|Union Post", "钴蓝银行|蕨叶零售|紫貂游戏|联合邮政"),
        ),
    ),
    _space(
        "agent:research-notes",
        ("research", "meetings", "customers", "travel", "workday", "health"),
        *_team(
            (
                "Dr Amelia Frost|Prof Tanaka|Jorge Ruiz|Liu Yan|Maya Cohen|Stefan Iliev",
                "刘燕|杜教授|董博士|袁野|车晓|廖凡",
            ),
            (
                "the battery study|the reading group|the annotation sprint|the grant proposal",
                "电池课题|读书会|标注冲刺|基金申请",
            ),
            "corpus-store|label-tool|eval-runner",
            (
                "Institute for Materials|Open Corpus Group|Delphi Foundation|North Lab",
                "材料研究所|开放语料组|德尔菲基金会|北方实验室",
            ),
        ),
    ),
)
"""All fourteen."""
