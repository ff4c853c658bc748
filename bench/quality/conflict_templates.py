"""Statements that are planted among real memories: pairs that can't both hold, and pairs that look so and can."""

from __future__ import annotations

from typing import Final

Pairs = tuple[tuple[str, str, str], ...]
"""Kind, what is said first, what is said later. `{who}` is a name that the store does not know."""

WHO: Final = {"en": ("Orla", "Quentin"), "zh": ("小王", "小李")}
"""The name in every pair, and that of somebody else."""

CONFLICTS: Final[dict[str, Pairs]] = {
    "en": (
        ("home", "{who} lives in Oslo.", "{who} lives in Bergen now."),
        ("job", "{who} works as a nurse.", "{who} works as an electrician."),
        ("taste", "{who} loves coriander.", "{who} can't stand coriander."),
        ("habit", "{who} never drinks coffee.", "{who} drinks coffee every day."),
        ("allergy", "{who} is allergic to peanuts.", "{who} is not allergic to peanuts."),
        ("count", "{who} has two kids.", "{who} has three kids."),
        ("favourite", "{who}'s favorite color is blue.", "{who}'s favorite color is green."),
        ("tool", "{who} uses Vim.", "{who} switched from Vim to Helix."),
        (
            "port",
            "The staging server listens on port 8080.",
            "The staging server listens on port 9090.",
        ),
        ("deadline", "Project {who} is due on May 3.", "Project {who} is due on May 10."),
        ("denial", "{who} has a driving licence.", "{who} does not have a driving licence."),
        ("over", "{who} works at Acme.", "{who} no longer works at Acme."),
    ),
    "zh": (
        ("home", "{who}住在成都。", "{who}现在住在杭州。"),
        ("job", "{who}是护士。", "{who}是电工。"),
        ("taste", "{who}喜欢吃香菜。", "{who}讨厌吃香菜。"),
        ("habit", "{who}从不喝咖啡。", "{who}每天都喝咖啡。"),
        ("allergy", "{who}对花生过敏。", "{who}对花生不过敏。"),
        ("count", "{who}有两个孩子。", "{who}有三个孩子。"),
        ("favourite", "{who}最喜欢的颜色是蓝色。", "{who}最喜欢的颜色是绿色。"),
        ("tool", "{who}用 Vim 写代码。", "{who}已从 Vim 切换到 Helix。"),
        ("port", "测试服务器的端口是8080。", "测试服务器的端口改为9090。"),
        ("deadline", "猎鹰项目的截止日期是5月3日。", "猎鹰项目的截止日期是5月10日。"),
        ("denial", "{who}有驾照。", "{who}没有驾照。"),
        ("over", "{who}在华为工作。", "{who}不再在华为工作了。"),
    ),
}

COMPATIBLE: Final[dict[str, Pairs]] = {
    "en": (
        ("complement", "{who} likes hiking.", "{who} likes swimming."),
        ("complement", "{who} speaks Danish.", "{who} speaks Portuguese."),
        ("complement", "{who} has a dog.", "{who} does not have a cat."),
        ("complement", "{who} works at Acme.", "{who} administers Acme's repo org."),
        ("events", "{who} met Anna on Monday.", "{who} met Anna on Friday."),
        ("other person", "{who} likes coriander.", "{other} can't stand coriander."),
        ("other person", "{who} lives in Oslo.", "{other} lives in Bergen."),
        ("history", "{who} used to live in Oslo.", "{who} lives in Bergen."),
        ("plan", "{who} lives in Oslo.", "{who} might move to Bergen."),
        ("within", "{who} lives in Norway.", "{who} lives in Oslo."),
        ("scene", "{who} drinks tea at work.", "{who} does not drink tea at night."),
        ("word of denial", "{who} never deploys on Friday.", "{who} deploys with Helm."),
    ),
    "zh": (
        ("complement", "{who}喜欢爬山。", "{who}喜欢游泳。"),
        ("complement", "{who}会说丹麦语。", "{who}会说葡萄牙语。"),
        ("complement", "{who}养了一条狗。", "{who}没有养猫。"),
        ("complement", "{who}在华为工作。", "{who}管理华为的代码仓库。"),
        ("events", "{who}周一见了小安。", "{who}周五见了小安。"),
        ("other person", "{who}喜欢吃香菜。", "{other}讨厌吃香菜。"),
        ("other person", "{who}住在成都。", "{other}住在杭州。"),
        ("history", "{who}以前住在成都。", "{who}住在杭州。"),
        ("plan", "{who}住在成都。", "{who}可能会搬到杭州。"),
        ("within", "{who}住在四川。", "{who}住在成都。"),
        ("scene", "{who}上班时喝茶。", "{who}晚上不喝茶。"),
        ("word of denial", "{who}周五从不部署。", "{who}用 Helm 部署。"),
    ),
}

EXCEPTIONS: Final[dict[str, Pairs]] = {
    "en": (
        ("exception", "{who} does not like coriander.", "{who} likes coriander at business dinners."),
        ("exception", "{who} drinks coffee.", "{who} does not drink coffee when travelling."),
    ),
    "zh": (
        ("exception", "{who}不吃香菜。", "商务宴请时{who}吃香菜。"),
        ("exception", "{who}喝咖啡。", "{who}出差时不喝咖啡。"),
    ),
}
"""The second holds in a scene only: both stay, and neither is a conflict."""
