"""Rewriting a memory by rules: so that it says the same in other words, or something that contradicts it.

Each rule gives the new text, or None where it does not apply. Nothing here is taken from the product: what is planted
must not be told from the rules that find it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

Rewrite = Callable[[str], str | None]

_SMALL: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def _swap(*pairs: tuple[str, str], words: bool = True) -> Rewrite:
    """The first of the pairs that occurs, exchanged once; with `words`, only as a word of its own."""
    edge = r"\b" if words else ""
    rules = [(re.compile(f"{edge}{re.escape(old)}{edge}"), new) for old, new in pairs]

    def rewrite(text: str) -> str | None:
        for rule, new in rules:
            changed, times = rule.subn(lambda _, new=new: new, text, count=1)
            if times:
                return changed
        return None

    return rewrite


def _both(*pairs: tuple[str, str], words: bool = True) -> Rewrite:
    """As `_swap`, in both directions; whatever stands first in the list wins."""
    return _swap(*(way for old, new in pairs for way in ((old, new), (new, old))), words=words)


def _bump(text: str) -> str | None:
    """The first number that is no part of a word, raised."""
    found = re.search(r"(?<![\w.])\d+(?![\w.]*[A-Za-z])", text)
    if not found:
        return None
    return f"{text[: found.start()]}{int(found.group()) + 3}{text[found.end() :]}"


def _denied(already: str, rewrite: Rewrite) -> Rewrite:
    """The rule where nothing is denied or supposed yet: twice denied may be said again."""
    spoken = re.compile(already, re.IGNORECASE)
    return lambda text: None if spoken.search(text) else rewrite(text)


def _framed(before: str) -> Rewrite:
    return lambda text: before + text


def _unstopped(text: str) -> str | None:
    return text.rstrip(".。!！") if text[-1:] in ".。!！" else text + "."


def _spelled(text: str) -> str | None:
    """Numbers up to twelve as words."""
    found = re.search(r"(?<![\w.,:])(\d+)(?![\w.,:%])", text)
    if not found or int(found.group(1)) >= len(_SMALL):
        return None
    return f"{text[: found.start()]}{_SMALL[int(found.group(1))]}{text[found.end() :]}"


_CLAUSE: Final = re.compile(r"(?P<main>[^,;]{12,}?) (?P<word>when|while|because|after|if) (?P<rest>[^,;]{8,})\.")


def _clause_first(text: str) -> str | None:
    """The clause behind a conjunction set before the rest."""
    found = _CLAUSE.fullmatch(text)
    return found and f"{found['word'].capitalize()} {found['rest']}, {found['main']}."


_SIMPLE, _OLD = (
    "妈岁张东广爱电话号机银员亲个这时间会乐书学历单华丽国乡龄",
    "媽歲張東廣愛電話號機銀員親個這時間會樂書學歷單華麗國鄉齡",
)


def _traditional(text: str) -> str | None:
    """Some thirty characters in their traditional form."""
    old = text.translate(str.maketrans(_SIMPLE, _OLD))
    return old if old != text else None


def _wide(text: str) -> str | None:
    """Digits and Latin letters in full width."""
    wide = "".join(chr(ord(ch) + 0xFEE0) if ch.isascii() and ch.isalnum() else ch for ch in text)
    return wide if wide != text else None


def _chinese_number(text: str) -> str | None:
    """A number of one or two digits before a measure word, in Chinese."""
    found = re.search(r"(?<!\d)(\d{1,2})(?=[岁个年天次人号月])", text)
    if not found:
        return None
    n, digits = int(found.group(1)), "零一二三四五六七八九"
    tens = "" if n < 10 else ("" if n < 20 else digits[n // 10]) + "十"
    said = tens + (digits[n % 10] if n % 10 or not tens else "")
    return text[: found.start()] + said + text[found.end() :]


SAME: Final[Mapping[str, Mapping[str, Rewrite]]] = {
    "en": {
        "mark": _unstopped,
        "case": lambda text: text.upper() if len(text) < 60 else None,
        "short form": _swap(
            ("I am", "I'm"), ("I have", "I've"), ("do not", "don't"), ("does not", "doesn't"), ("is not", "isn't"),
            ("cannot", "can't"), ("I'm", "I am"), ("don't", "do not"), ("can't", "cannot"), ("it's", "it is"),
        ),
        "spelled number": _spelled,
        "frame": _framed("Also, "),
        "clause first": _clause_first,
        "connective": _swap((" and also ", " and "), (" but ", ", though "), (" and ", " as well as "), words=False),
        "synonym": _both(
            ("movies", "films"), ("kids", "children"), ("bought", "purchased"), ("enjoys", "likes"), ("enjoy", "like"),
            ("big", "large"), ("began", "started"), ("mom", "mother"), ("dad", "father"), ("car", "automobile"),
            ("talked about", "spoke about"), ("is going to", "will"), ("pictures", "photos"), ("lawyer", "attorney"),
            ("believes", "thinks"), ("wants to", "would like to"), ("currently", "at the moment"), ("job", "work"),
        ),
    },
    "zh": {
        "mark": _unstopped,
        "full width": _wide,
        "number in Chinese": _chinese_number,
        "frame": _framed("其实，"),
        "traditional": _traditional,
        "other wording": _swap(
            ("上班", "工作"), ("老家", "家乡"), ("手机号", "手机号码"), ("我的", "我"), ("今年", "现在"),
            ("位于", "在"), ("个子", "身高"), ("叫做", "叫"), ("呢。", "。"), ("学历是", "学历为"),
            ("是在", "在"), words=False,
        ),
        "synonym": _both(
            ("爸爸", "父亲"), ("妈妈", "母亲"), ("名字叫", "名叫"), ("电话号码", "联系电话"), ("邮箱地址", "邮箱"),
            ("兴趣爱好", "爱好"), ("公司叫", "公司名叫"), ("特别喜欢", "非常喜欢"), ("特别", "非常"), ("挺", "很"),
            ("单位", "工作单位"), ("真不错", "真好"), ("下个", "下一个"), ("生日", "出生日期"), words=False,
        ),
    },
}  # fmt: skip
"""By language and kind: what says the same."""

OTHER: Final[Mapping[str, Mapping[str, Rewrite]]] = {
    "en": {
        "number": _bump,
        "number word": _swap(("two", "four"), ("three", "five"), ("one", "three"), ("four", "two"), ("five", "nine")),
        "negation": _denied(
            r"\b(?:not?|never|nobody|nothing|if|without|hardly|only)\b|n't",
            _swap(
                ("I like", "I do not like"), ("I am", "I am not"), ("I have", "I don't have"),
                ("I love", "I don't love"),
                ("I'm", "I'm not"), ("is", "is not"), ("was", "was not"), ("has", "has not"), ("can", "cannot"),
                ("will", "will not"),
            ),
        ),
        "opposite": _both(
            ("love", "hate"), ("loves", "hates"), ("like", "dislike"), ("likes", "dislikes"), ("before", "after"),
            ("married", "divorced"), ("old", "new"), ("happy", "unhappy"), ("started", "stopped"),
            ("best", "worst"), ("always", "never"), ("younger", "older"), ("accepted", "refused"),
        ),
        "owner": _both(
            ("mother", "father"), ("mom", "dad"), ("brother", "sister"), ("son", "daughter"), ("wife", "boss"),
            ("husband", "neighbour"), ("my dog", "my cat"),
        ),
        "name": _swap(
            ("John", "Maria"), ("James", "Andrew"), ("Jolene", "Audrey"), ("Deborah", "Melanie"), ("Calvin", "Nate"),
            ("Tim", "Evan"), ("Joanna", "Caroline"), ("Gina", "Sam"), ("Dave", "Tim"), ("Maria", "John"),
        ),
        "day": _swap(
            ("Monday", "Thursday"), ("Sunday", "Tuesday"), ("Friday", "Monday"), ("yesterday", "last month"),
            ("last week", "last year"), ("summer", "winter"), ("2022", "2019"), ("2023", "2020"), ("July", "March"),
        ),
        "colour": _both(("blue", "green"), ("red", "black"), ("white", "brown"), ("pink", "grey")),
        "food": _both(
            ("pizza", "sushi"), ("chocolate", "vanilla"), ("coffee", "tea"), ("meat", "fish"), ("ice cream", "pie"),
            ("milk", "juice"), ("burgers", "salads"), ("wine", "beer"),
        ),
        "place": _both(
            ("Tokyo", "Paris"), ("Boston", "Denver"), ("New York", "Chicago"), ("Texas", "Ohio"), ("Florida", "Oregon"),
            ("Japan", "Canada"), ("beach", "mountains"), ("city", "village"), ("park", "museum"),
            ("house", "apartment"),
        ),
        "work": _both(
            ("teacher", "plumber"), ("nurse", "pilot"), ("salesman", "farmer"), ("librarian", "dentist"),
            ("accountant", "painter"), ("student", "waiter"), ("doctor", "musician"),
        ),
        "how often": _swap(
            ("every day", "once a year"), ("rarely", "every day"), ("often", "hardly ever"),
            ("a lot", "once in a while"), ("weekends", "weekdays"), ("every week", "every month"), ("daily", "yearly"),
        ),
        "activity": _both(
            ("hiking", "swimming"), ("guitar", "violin"), ("reading", "fishing"), ("dance", "chess"),
            ("piano", "drums"), ("basketball", "tennis"), ("cooking", "sewing"), ("soccer", "hockey"),
            ("yoga", "boxing"),
        ),
        "animal": _both(
            ("dog", "parrot"), ("dogs", "horses"), ("cat", "rabbit"), ("turtles", "snakes"), ("cats", "birds"),
        ),
    },
    "zh": {
        "number": _bump,
        "negation": _denied(
            r"不|没|未|无|如果|要是|就是",
            _swap(
                ("特别喜欢", "不喜欢"), ("喜欢", "不喜欢"), ("爱好是", "爱好不是"), ("工作是", "工作不是"),
                ("生日是", "生日不是"), ("名字叫", "名字不叫"), ("有", "没有"), ("是", "不是"), words=False,
            ),
        ),
        "opposite": _both(
            ("喜欢", "讨厌"), ("最大", "最小"), ("便宜", "昂贵"), ("先进", "落后"), ("宽敞", "狭窄"), ("安静", "吵闹"),
            ("舒服", "难受"), ("方便", "麻烦"), ("干净", "肮脏"), ("亲切", "冷淡"), words=False,
        ),
        "owner": _both(
            ("爸爸", "妈妈"), ("表哥", "表妹"), ("上司", "下属"), ("舅妈", "叔叔"), ("同事", "邻居"), ("哥哥", "姐姐"),
            words=False,
        ),
        "name": _swap(
            ("北京", "上海"), ("上海", "广州"), ("广东", "湖南"), ("南京", "杭州"), ("山东", "四川"), ("王", "赵"),
            ("张", "刘"), ("李", "周"), ("吴", "郑"), words=False,
        ),
        "day": _both(
            ("周一", "周四"), ("周五", "周二"), ("上午", "下午"), ("早上", "晚上"), ("明天", "后天"),
            ("下周", "下个月"), words=False,
        ),
        "job": _both(
            ("医生", "律师"), ("当老师", "当厨师"), ("工程师", "会计"), ("银行柜员", "出租车司机"), ("护士", "记者"),
            ("高中", "大专"), ("本科", "博士"), words=False,
        ),
        "place": _both(
            ("青岛", "成都"), ("深圳", "武汉"), ("江苏", "福建"), ("浙江", "陕西"), ("重庆", "天津"),
            ("公园", "商场"), words=False,
        ),
        "hobby": _both(
            ("编程", "钓鱼"), ("健身", "下棋"), ("登山", "游泳"), ("跑步", "摄影"), ("听音乐会", "看话剧"),
            ("阅读", "跳舞"), ("高尔夫", "网球"), words=False,
        ),
        "kin": _both(
            ("表姐", "表弟"), ("舅舅", "婶婶"), ("父亲", "母亲"), ("爷爷", "外婆"), ("儿子", "女儿"), words=False
        ),
        "unit": _swap(("千人", "百人"), ("天。", "周。"), ("小时", "分钟"), ("厘米", "英寸"), words=False),
        "how often": _both(("经常", "偶尔"), ("每天", "每年"), ("总是", "从不"), words=False),
    },
}  # fmt: skip
"""By language and kind: what can't be true of the same thing at the same time, or is another thing."""
