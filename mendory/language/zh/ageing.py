"""What lasts and what is soon over, in Chinese."""

from __future__ import annotations

import re

from mendory.language.writing import halfwidth, simplified

_LASTING = re.compile(
    r"过敏|不耐受|血型|[ABO]型血|RH阴性|宗教|信仰|信(?:佛|奉|基督|伊斯兰|天主)|穆斯林|基督徒|佛教徒|天主教徒|清真|回族"
    r"|生日(?:是|为|在|[::])|出生(?:于|在|日期|地)|本名|真名|全名|姓名|名字(?:是|叫|[::])|我叫|用户叫|母语|性别|籍贯|老家"
    r"|星座|(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|双鱼)座"
    r"|糖尿病|高血压|高血脂|高尿酸|房颤|地中海贫血|红斑狼疮|低血糖|哮喘|癫痫|心脏病|冠心病|慢性|乙肝|痛风|肾病|甲亢|甲减|血友病|类风湿|强直|帕金森|自闭症"
    r"|残疾|残障|失明|失聪|耳聋|色盲|色弱|轮椅|起搏器|假肢|听障|视障|蚕豆病|白化病",
    re.IGNORECASE,
)
_SHORT = "修复|修|调试|排查|处理|部署|迁移|重构|测试|审核|安装|升级|合并|回滚|联调|核对|搬迁|抢修|定位|复现|打补丁"
_LONG = "开发|编写|撰写|整理|准备|实现|优化|更新|训练|写|做|改|搭建|清理|对接|发布|上线|起草|收尾|赶"
_TODAY = "今天|今日|今晚|今早|今天下午|这会儿|此刻|眼下|本周|这周|当下|刚刚|这两天"
_NOW = "今天|今日|今晚|本周|这周|眼下|这会儿"
_DOING = f"(?:正在|还在|仍在|仍然在|目前在|现在在|当前在|在忙着|忙着|(?:{_NOW})(?:要|得|先|都|还|也)?在?)"
_UNDER_WAY = re.compile(
    rf"{_DOING}[^,。;!?]{{0,4}}?(?:{_SHORT})(?!部门?|组|岗|工程师|人员|员)"
    rf"|(?:{_TODAY})[^。;!?]{{0,12}}(?:正在|还在|在|忙着)[^,。;!?]{{0,4}}?(?:{_LONG})"
    rf"|(?:正在|还在|仍在|忙着)[^,。;!?]{{0,4}}?(?:{_LONG})[^。;!?]*(?:{_TODAY})"
    rf"|(?:{_SHORT}|{_LONG})(?:仍在|还在|正在)?(?:进行)?中(?!心|间|文|国|学|等|午|断|的)"
)
_HABIT = re.compile(
    r"每[天日周月次年]|经常|通常|总是|一直|往往|常常|平时|喜欢|讨厌|偏好|爱好|负责|擅长|从事|专业|职业|曾经|以前|过去"
    r"|不要|别在|不得|禁止|如果|假如|要是|应该|必须|打算|计划|的时候|期间|已经?完成|完成了|修好了"
)
_SENTENCE = re.compile(r"[。!?;\n]+")


def lasting(text: str) -> bool:
    """Whether the text says what holds for life or nearly so."""
    return _LASTING.search(simplified(halfwidth(text))) is not None


def under_way(text: str) -> bool:
    """Whether a sentence says that a task is being done; one of a habit, a rule, a plan or the past does not."""
    return any(
        _UNDER_WAY.search(sentence) is not None and _HABIT.search(sentence) is None
        for sentence in _SENTENCE.split(simplified(halfwidth(text)))
    )
