"""Texts that state nothing: greetings, assents, refusals, complaints about the last answer.

Conservative: the whole text must be made of such words, and it must be short. A word that might carry a fact (a name,
a thing, a number) makes it a memory.
"""

from __future__ import annotations

import re
from typing import Final

MOST_CHARACTERS: Final = 64
"""A longer text is more than a fragment of a chat."""

_EN_SAYING: Final = """
    no nope nah yes yep yeah yup ya ok okay okey sure right exactly wrong nice great good cool perfect awesome wow
    lol hey hi hello bye goodbye thanks thank thx ty please pls sorry wait stop again always never not whatever
    nothing nevermind continue done what why how huh same usual oh ah uh ugh argh
"""
_EN_TYING: Final = """
    k fine true correct ever maybe perhaps well so and but just really very much a lot bit that this it those these
    one ones who you your me i we is was are do does did as before too then now there here the all any more of
    course got see sounds mind dear man come on go ahead next try in to for at an already anyway seriously
"""
_SAYING: Final = frozenset(_EN_SAYING.split())
_FILLERS: Final = _SAYING.union(_EN_TYING.split())
_DRAWN: Final = re.compile(r"(?:ha){2,}h?|(?:he){2,}h?|h?m{2,}|um+|o{2,}h*|a{2,}h*|ye+s+|no{2,}|so{2,}")
_EN_WORD: Final = re.compile(r"[a-z]+")
_EN_PLAIN: Final = re.compile(r"[a-z\s,.!?…~;:'’()\-–—]+")
_SHORT: Final = re.compile(r"(?:['’](?:s|re|ll|m|d)|n['’]t)\b")
_NEGATED: Final = re.compile(r"n['’]t\b")
_SET: Final = re.compile(r"\b(?:got it|i see|go (?:on|ahead)|come on|that['’]s|of course)\b")

_IT: Final = "(?:that|this|it)"
_ANNOYING: Final = "(?:wrong|useless|annoying|ridiculous|terrible|bad|frustrating)"
_OFTEN: Final = "(?:already|before|twice|(?:a (?:hundred|thousand|million)|so many|many) times)"
_DOES: Final = "(?:do|doing|say|saying|get|getting|forget|forgetting|listen|understand)"
_HEARS: Final = "(?:listen|understand|get it|help|forget)"
_EN_COMPLAINTS: Final = (
    rf"{_IT}(?:['’]s| is| was)? not (?:what i (?:asked|meant|said|wanted)(?: for)?|it|right|correct|helpful)",
    rf"{_IT}(?:['’]s| is| was) (?:(?:just|so|really|completely|totally) )?{_ANNOYING}",
    rf"{_IT} (?:still )?(?:doesn['’]t|does not|didn['’]t|did not) (?:help|work|make (?:any )?sense)",
    rf"you(?:['’]re| are) (?:so |really )?(?:{_ANNOYING}|not listening|not helping|repeating yourself)",
    rf"you (?:never|don['’]t|do not|didn['’]t|did not|aren['’]t|always) {_HEARS}(?: (?:to )?me)?",
    rf"you (?:got|did) {_IT} (?:all )?wrong",
    rf"you (?:keep|always) (?:doing|saying|forgetting|getting) {_IT}(?: wrong)?",
    rf"you (?:said|did|asked) {_IT} (?:already|before)|you already (?:said|asked|did) {_IT}",
    rf"(?:i|i['’]ve|i have) already (?:told|said|asked)(?: you)?(?: {_IT})?",
    rf"(?:i|i['’]ve|i have) (?:told|said|asked)(?: you)?(?: {_IT})? {_OFTEN}",
    rf"how (?:many times|often) (?:do|must|should) i (?:have to |need to )?"
    rf"(?:say|tell|repeat|ask)(?: (?:you|{_IT}|again|myself))*",
    r"why (?:do|did|are|can['’]t|don['’]t|won['’]t) you (?:keep |always |still |just |never )?"
    rf"{_DOES}(?: (?:{_IT}|me|to me|wrong|again))*",
    r"what (?:are you|the (?:hell|heck)(?: are you| is (?:this|that))?)(?: (?:doing|saying|talking about))?",
    r"still (?:wrong|not working|not right|nothing)|i give up|forget (?:it|that)|leave it",
)
_EN_COMPLAINT: Final = re.compile(rf"\b(?:{'|'.join(_EN_COMPLAINTS)})(?![\w'’])")

_ZH_FILLERS: Final = """
    好 好的 好吧 好嘞 好滴 嗯 哦 噢 喔 啊 呃 额 唉 哎 哎呀 哎哟 哟 诶 欸 嘿 哈 呵 嘻 行 可以 没问题 没事 没事儿
    没关系 不用 不客气 不谢 谢 谢你 谢您 多谢 感谢 感谢你 感谢您 非常 十分 真的 对 是 是的 是这样 不 不是 不对 不要
    不行 不好 不可以 没 没有 没错 知道 我知道 明白 我明白 懂 我懂 了解 收到 原来如此 这样啊 那好 那 就这样 这样 那样
    这个 那个 这 你好 您好 大家好 哈喽 嗨 喂 在 早 早上好 早安 中午好 下午好 晚上好 晚安 再见 拜 回头见 明天见 辛苦
    抱歉 不好意思 算 随便 无所谓 都行 都可以 老样子 照旧 老规矩 一样 和以前 和之前 和往常 和上次 跟以前 跟之前
    跟往常 跟上次 一如既往 还是 还行 还好 一般 继续 然后 还有 什么 什么意思 啥 为什么 怎么 怎么会 怎么可能 等 等一下
    稍等 别 别闹 别急 停 再来一次 再试一次 重来 又 来 错 忘 太好 太棒 太赞 太牛 厉害 棒 赞 牛 完美 不错 ok okay yes
    no thx thanks bye hi hello 了 吧 呀 啦 呢 嘛 吗 么 哒 对的 行的 可以的 没事的 不是的
"""
_ZH_WORDS: Final = frozenset(_ZH_FILLERS.split())
_ZH_LONGEST: Final = max(map(len, _ZH_WORDS))
_ZH_SPACE: Final = re.compile(r"[\s，。！？、；：,.!?…~～;:\-—（）()\"“”👍🙏😂😊🙂❤️]+")
_RUN: Final = re.compile(r"(.)\1+")
_ZH_ERRS: Final = "忘了|忘记|搞错|弄错|听不懂|不懂|没听懂|理解错|答非所问|错|不明白|记不住|在说什么"
_ZH_COMPLAINTS: Final = (
    rf"[你您](?:怎么|为什么|为啥|咋|就)?(?:又|老是?|总是?|还是|一直|都)?(?:{_ZH_ERRS})(?:了|我(?:的意思|说的)?)?",
    "我?(?:都|已经)?(?:[跟和给]你)?(?:说|讲|告诉你|强调)[过了]?(?:多少|好多|很多|无数|几|好几|八百)[遍次]了?",
    "我?不是[这那]个意思|我?[说要问]的不是[这那]个|怎么[又还]是[这那]样",
    "(?:[你您]|[这那]个?)?(?:回答|答案|东西)?(?:根本|完全|一点[都也])?(?:没用|没帮助|不对|不行|不是我要的)",
    "真[是的]?(?:烦死?|无语|服了|受不了)[了你人我]*|气死我?了|烦死[我人]?了|无语了?|受够了|没用|什么(?:鬼|玩意)儿?",
    "能不能(?:好好|认真)?[听看回][我答](?:说)?|别再?(?:说|重复|废话)了",
)
_ZH_COMPLAINT: Final = re.compile("|".join(_ZH_COMPLAINTS))
_HAN: Final = re.compile("[\u4e00-\u9fff]")
# nearly every text is told apart by its first word or character that stands in none of these
_EN_KNOWN: Final = _FILLERS.union(*(re.findall("[a-z]+", one) for one in _EN_COMPLAINTS))
_ZH_KNOWN: Final = re.compile(rf"[{re.escape(''.join({*_ZH_FILLERS, *''.join(_ZH_COMPLAINTS)}))}\W]+")


def says_nothing(text: str) -> bool:
    """Whether the whole text is made of words of a conversation that state nothing by themselves.

    >>> [says_nothing(t) for t in ("No, not that.", "as always", "好的，谢谢！", "No coriander", "不要香菜")]
    [True, True, True, False, False]
    """
    if len(text) > MOST_CHARACTERS:
        return False
    text = text.strip().casefold()
    if _HAN.search(text):
        return _ZH_KNOWN.fullmatch(text) is not None and _chinese(text)
    return _EN_PLAIN.fullmatch(text) is not None and _english(text)


def _english(text: str) -> bool:
    if not all(m.group() in _EN_KNOWN or _DRAWN.fullmatch(m.group()) for m in _EN_WORD.finditer(text)):
        return False
    found = _EN_COMPLAINT.search(text)
    if found and _fills(text[: found.start()]) and _fills(text[found.end() :]):
        return True
    # words that only tie others together are as good as nothing, but they may also be a title ("It", "The Who")
    says = any(word in _SAYING or _DRAWN.fullmatch(word) for word in _EN_WORD.findall(text))
    return _fills(text) and (says or bool(_NEGATED.search(text) or _SET.search(text)))


def _fills(text: str) -> bool:
    words = _EN_WORD.findall(_SHORT.sub("", text))
    return all(word in _FILLERS or _DRAWN.fullmatch(word) for word in words)


def _chinese(text: str) -> bool:
    found = _ZH_COMPLAINT.search(text)
    if found and _made_of_words(text[: found.start()]) and _made_of_words(text[found.end() :]):
        return True
    return _made_of_words(text)


def _made_of_words(text: str) -> bool:
    """Whether each stretch between signs can be cut into such words; a character drawn out is one (哈哈哈, 谢谢)."""
    return all(_cuts(stretch) for stretch in _RUN.sub(r"\1", _ZH_SPACE.sub(" ", text)).split(" ") if stretch)


def _cuts(stretch: str) -> bool:
    reached = {0}
    for end in range(1, len(stretch) + 1):
        if any(end - size in reached and stretch[end - size : end] in _ZH_WORDS for size in range(1, _ZH_LONGEST + 1)):
            reached.add(end)
    return len(stretch) in reached
