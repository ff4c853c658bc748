"""The Chinese half: sentences as an assistant stores them, by topic."""

from __future__ import annotations

from typing import Final

from demo.phrases import Phrase, Phrases

_P = Phrase

PHRASES: Final[Phrases] = {
    "food": (
        _P("preference", "早餐", "{p}早餐习惯喝{drink}，不吃甜的", ("{drink}", "1", "")),
        _P("fact", "外出就餐", "{p}对{allergen}过敏，外出就餐要提醒", ("{p}", "过敏", "{allergen}")),
        _P("preference", "外出就餐", "{p}晚上不吃{dish}，嫌太油", ("{dish}", "-1", "晚上")),
        _P("preference", "做饭", "给{p}做{dish}时盐减半", ("盐", "-1", "减半")),
        _P("event", "聚餐", "{date}和{p}、{q}在{place}吃饭，点了{dish}"),
        _P("preference", "外卖", "{p}加班晚了会点{place}的{dish}", ("{dish}", "1", "加班")),
        _P("ephemeral", "买菜", "{p}让把{grocery}加到{weekday}的购物清单里"),
        _P("procedure", "做饭", "{p}做{dish}要先泡{grocery}，烤箱预热到{degrees}度"),
    ),
    "travel": (
        _P("preference", "航班", "{p}坐{daytime}的航班喜欢{seat}", ("{seat}", "1", "{daytime}航班")),
        _P("fact", "航班", "{p}的里程都攒在{airline}", ("{p}", "常旅客计划", "{airline}")),
        _P("preference", "酒店", "{p}住酒店要安静、离电梯远的房间，最好{floor}以上", ("安静房间", "1", "{floor}以上")),
        _P("event", "出差", "{date}{p}飞{city}，两天后返回"),
        _P("fact", "证件", "{p}的护照{year}年{month}到期", ("{p}", "护照有效期", "{year}年{month}")),
        _P("ephemeral", "出差", "{weekday}{time}给{p}叫车去车站"),
        _P("procedure", "预订", "{p}去{city}出差走公司平台订票，备注成本中心"),
        _P("preference", "高铁", "从{city}出发{hours}小时以内{p}都坐高铁", ("高铁", "1", "{hours}小时以内")),
    ),
    "health": (
        _P("fact", "就医", "{p}每{months}个月去一次{doctor}", ("{p}", "复诊_{doctor}", "每{months}个月")),
        _P("event", "就医", "{date}{p}去了{doctor}，医生说没什么问题"),
        _P("preference", "运动", "{p}{weekday}晚上固定{sport}", ("{sport}", "1", "{weekday}晚上")),
        _P("fact", "用药", "{p}{dose}吃{medicine}", ("{p}", "服用_{medicine}", "{dose}")),
        _P("ephemeral", "睡眠", "{p}没睡好，{weekday}的会尽量短一点"),
        _P("preference", "运动", "{p}不想安排超过{km}公里的跑步", ("长跑", "-1", "超过{km}公里")),
        _P("procedure", "就医", "{p}去{doctor}之前先发上次的化验单和医保号"),
    ),
    "family": (
        _P("fact", "生日", "{p}的生日是{date}", ("{p}", "生日", "{date}")),
        _P("fact", "上学", "{p}的{child}每{weekday}上{lesson}课", ("{p}的{child}", "上课日_{lesson}", "{weekday}")),
        _P("event", "探亲", "{p}的父母{date}从{city}过来看他们"),
        _P("preference", "送礼", "送{p}{gift}就很高兴，不用太贵", ("{gift}", "1", "不贵")),
        _P("ephemeral", "上学", "{weekday}{time}要有人去接{p}的{child}"),
        _P("fact", "宠物", "{p}家里养了{pet}", ("{p}", "宠物", "{pet}")),
        _P("procedure", "探亲", "{p}家里来客人时订{place}，钥匙留给{q}"),
    ),
    "home": (
        _P("fact", "住址", "{p}住在{city}{district}", ("{p}", "居住地", "{city}{district}")),
        _P("preference", "空调", "{p}在家办公时空调开{degrees_room}度", ("空调", "1", "{degrees_room}度")),
        _P("event", "维修", "{date}修好了{appliance}，发票在{p}那里"),
        _P("ephemeral", "快递", "{p}有个快递{weekday}{time}左右到"),
        _P("procedure", "维修", "{p}家的{appliance}坏了先打给{vendor}，别自己动手"),
        _P("fact", "合同", "{p}家的宽带是{vendor}装的", ("{p}", "宽带服务商", "{vendor}")),
        _P("preference", "保洁", "{p}不希望保洁{weekday}上门", ("保洁", "-1", "{weekday}")),
    ),
    "money": (
        _P("fact", "预算", "{p}每月{budget}预算是{price}元", ("{p}", "预算_{budget}", "{price}元")),
        _P("preference", "付款", "{p}的{budget}都刷信用卡，方便对账", ("信用卡", "1", "{budget}")),
        _P("event", "发票", "{p}{date}付清了{vendor}的款"),
        _P("ephemeral", "发票", "{weekday}提醒{p}交{budget}的发票"),
        _P("procedure", "报销", "{p}报销超过{price}元要{q}先签字"),
        _P("preference", "购物", "{p}不买二手{gadget}", ("二手{gadget}", "-1", "")),
        _P("fact", "订阅", "{p}订了{media}，每年{month}续费", ("{p}", "订阅_{media}", "{month}")),
    ),
    "workday": (
        _P("preference", "专注时间", "{p}{weekday}{daytime}要专心干活，不接会议", ("会议", "-1", "{weekday}{daytime}")),
        _P("preference", "沟通", "有急事{p}希望用{channel}找他，不要打电话", ("{channel}", "1", "急事")),
        _P("fact", "职位", "{p}的职位是{role}", ("{p}", "职位", "{role}")),
        _P("fact", "工位", "{p}的工位在{floor}，挨着{room}", ("{p}", "工位", "{floor}")),
        _P("event", "分享", "{p}{date}做了关于{subject}的分享"),
        _P("ephemeral", "请假", "{p}{weekday}请假，由{q}顶班"),
        _P("preference", "文档", "{p}看{subject}的总结要求最多五条", ("总结", "1", "最多五条")),
    ),
    "meetings": (
        _P("event", "决定", "{date}{p}和{q}商定把{subject}推迟到{month}"),
        _P("fact", "例会", "{project}的周会在{weekday}{time}", ("{project}", "周会时间", "{weekday}{time}")),
        _P("procedure", "纪要", "{subject}的会议纪要先发给{p}，第二天早上再发全组"),
        _P("preference", "排期", "{p}{time_early}之前不开会", ("会议", "-1", "{time_early}之前")),
        _P("ephemeral", "排期", "{p}想把{weekday}关于{subject}的会挪到下周"),
        _P("event", "决定", "{date}{p}向{company}汇报了{subject}，对方{month}前要数据"),
        _P("fact", "会议室", "{p}为{subject}订了{room}", ("{subject}", "会议室", "{room}")),
    ),
    "infrastructure": (
        _P("fact", "服务", "{svc}在{env}监听{port}端口", ("{svc}", "端口_{env}", "{port}")),
        _P("fact", "负责人", "{svc}归{p}管，{p}不在就找{q}", ("{svc}", "负责人", "{p}")),
        _P("procedure", "备份", "{env}的{svc}改表结构前先备份，备份留{days}天"),
        _P("event", "变更", "{date}{p}把{svc}迁到了{region}机房"),
        _P("preference", "工具", "管理{svc}，{p}更愿意用{tool}，不点控制台", ("{tool}", "1", "{svc}")),
        _P("ephemeral", "变更", "{env}的{svc}冻结到{weekday}，{p}要压测"),
        _P("fact", "配额", "{svc}在{env}最多用{gb} GB内存", ("{svc}", "内存上限_{env}", "{gb} GB")),
    ),
    "releases": (
        _P("event", "上线", "{date}{svc}发布了{version}版，{p}盯的监控"),
        _P("fact", "发布日", "{svc}固定{weekday}发版，{p}负责", ("{svc}", "发版日", "{weekday}")),
        _P("procedure", "上线", "{env}的{svc}要回滚就跑{tool}任务，并在群里告诉{p}"),
        _P("preference", "评审", "{p}要求{svc}每次评审不超过{lines}行", ("大评审", "-1", "超过{lines}行")),
        _P("ephemeral", "上线", "{p}在等{svc}的构建变绿，{weekday}前要上"),
        _P("event", "测试", "{date}{p}找到了{svc}里不稳定的用例，原因是时区"),
        _P("fact", "版本", "{env}的{svc}跑的是{version}版", ("{svc}", "版本_{env}", "{version}")),
    ),
    "customers": (
        _P(
            "fact",
            "联系人",
            "{company}那边{subject}的联系人是{contact}",
            ("{company}", "联系人_{subject}", "{contact}"),
        ),
        _P("preference", "往来", "给{company}的{subject}报价用{lang}，税额单列", ("税额单列", "1", "{subject}")),
        _P("event", "拜访", "{date}{p}去{city}拜访了{company}"),
        _P(
            "fact",
            "合同",
            "和{company}的{subject}合同到{year}年{month}为止",
            ("{company}", "合同到期_{subject}", "{year}年{month}"),
        ),
        _P("ephemeral", "跟进", "{p}答应{weekday}给{company}打电话谈{subject}"),
        _P("procedure", "投诉", "{company}关于{subject}的投诉转给{p}，附上订单"),
        _P("preference", "往来", "{company}不想再收到{subject}的推广邮件", ("推广邮件", "-1", "{subject}")),
    ),
    "incidents": (
        _P("event", "故障", "{date}{svc}挂了{minutes}分钟，{p}在{env}重启恢复"),
        _P("procedure", "值班", "{env}的{svc}报{alert}时先看{svc2}，再呼{p}"),
        _P("fact", "值班", "{p}每{nth}周轮到{svc}值班", ("{p}", "值班_{svc}", "每{nth}周")),
        _P("preference", "告警", "{svc}的{alert}半夜不要叫醒{p}", ("{alert}", "-1", "半夜")),
        _P("ephemeral", "告警", "{svc}的{alert}静音到{weekday}，{p}知道"),
        _P("event", "复盘", "{date}复盘，{p}查出{svc}的{alert}是{svc2}引起的"),
        _P("fact", "阈值", "{svc}的{alert}阈值是{percent}%", ("{svc}", "阈值_{alert}", "{percent}%")),
    ),
    "research": (
        _P("fact", "阅读", "{p}在读《{book}》里讲{subject}的部分", ("{p}", "在读_{subject}", "{book}")),
        _P("event", "实验", "{date}{p}重新测了{subject}，效果是{percent}%"),
        _P("procedure", "实验", "{subject}的实验按日期命名，原始文件由{p}保留{days}天"),
        _P("preference", "写作", "{p}希望讲{subject}时配一个完整的例子", ("完整例子", "1", "{subject}")),
        _P("ephemeral", "阅读", "{p}想在{weekday}前看完《{book}》"),
        _P("preference", "写作", "{p}不喜欢{subject}的文章里有脚注", ("脚注", "-1", "{subject}")),
        _P("fact", "数据", "{subject}的数据是{company}{month}给的", ("{subject}", "数据来源", "{company}")),
    ),
}

TOPICS: Final = {
    "food": "饮食",
    "travel": "出行",
    "health": "健康",
    "family": "家庭",
    "home": "居家",
    "money": "财务",
    "workday": "工作习惯",
    "meetings": "会议",
    "infrastructure": "基础设施",
    "releases": "发布",
    "customers": "客户",
    "incidents": "故障",
    "research": "研究",
}
"""Topic → how it is written in metadata."""
