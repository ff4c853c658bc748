"""Forms of English verbs: which verb a word is a form of, and which form."""

from __future__ import annotations

from enum import Enum
from typing import Final

from mendory.language.en.lists import listed, ordered


class Form(Enum):
    """The forms of a verb that rules tell apart."""

    BASE = "base"
    THIRD = "third"
    """Works, has: what a statement without a subject begins with ("Works as a nurse")."""
    PAST = "past"
    ING = "ing"


_VERBS = ordered("""
live work like love enjoy prefer hate dislike adore use own have speak study eat drink play drive teach want need know
move switch change migrate stay reside start begin stop quit keep avoid refuse detest loathe despise appreciate collect
weigh run listen serve deploy host store depend support deliver cook coach write read paint design sell bake clean
graduate marry divorce retire join leave become be do go get take make wear watch smoke visit raise breed adopt buy lose
attend major drop finish turn call name involve manage lead practise practice follow identify date travel swim ride sing
dance hike fish hunt garden knit sew draw act perform volunteer grow stand bear tolerate fear consider think feel say
tell hope plan dream wish intend expect look decide try learn walk train build repair fix develop program tutor babysit
wait waitress bartend stock flip decorate care help treat groom handle ship require expire end land launch upgrade
replace transfer relocate settle commute administer maintain contribute celebrate turn believe worship exercise jog
camp cycle surf skate ski celebrate lift juggle fly sail farm mow cut style dye pass die see meet favor favour
moonlight tend abstain cease give sleep spend share rent inherit grade instruct prescribe register save connect exist
""")
_IRREGULAR = {
    "be": ("is am are", "was were", "being"),
    "have": ("has", "had", "having"),
    "do": ("does", "did", "doing"),
    "go": ("goes", "went gone", "going"),
    "get": ("gets", "got gotten", "getting"),
    "take": ("takes", "took taken", "taking"),
    "make": ("makes", "made", "making"),
    "eat": ("eats", "ate eaten", "eating"),
    "drink": ("drinks", "drank drunk", "drinking"),
    "drive": ("drives", "drove driven", "driving"),
    "teach": ("teaches", "taught", "teaching"),
    "know": ("knows", "knew known", "knowing"),
    "speak": ("speaks", "spoke spoken", "speaking"),
    "write": ("writes", "wrote written", "writing"),
    "read": ("reads", "", "reading"),
    "run": ("runs", "ran", "running"),
    "begin": ("begins", "began begun", "beginning"),
    "quit": ("quits", "", "quitting"),
    "keep": ("keeps", "kept", "keeping"),
    "leave": ("leaves", "left", "leaving"),
    "become": ("becomes", "became", "becoming"),
    "buy": ("buys", "bought", "buying"),
    "lose": ("loses", "lost", "losing"),
    "sell": ("sells", "sold", "selling"),
    "wear": ("wears", "wore worn", "wearing"),
    "lead": ("leads", "led", "leading"),
    "swim": ("swims", "swam swum", "swimming"),
    "ride": ("rides", "rode ridden", "riding"),
    "sing": ("sings", "sang sung", "singing"),
    "grow": ("grows", "grew grown", "growing"),
    "stand": ("stands", "stood", "standing"),
    "bear": ("bears", "bore borne born", "bearing"),
    "think": ("thinks", "thought", "thinking"),
    "feel": ("feels", "felt", "feeling"),
    "say": ("says", "said", "saying"),
    "tell": ("tells", "told", "telling"),
    "build": ("builds", "built", "building"),
    "fly": ("flies", "flew flown", "flying"),
    "die": ("dies", "died", "dying"),
    "see": ("sees", "saw seen", "seeing"),
    "meet": ("meets", "met", "meeting"),
    "cut": ("cuts", "", "cutting"),
    "give": ("gives", "gave given", "giving"),
    "sleep": ("sleeps", "slept", "sleeping"),
    "spend": ("spends", "spent", "spending"),
    "draw": ("draws", "drew drawn", "drawing"),
    "ski": ("skis", "skied", "skiing"),
    "prefer": ("prefers", "preferred", "preferring"),
    "relocate": ("relocates", "relocated", "relocating"),
}
_DOUBLED = listed("stop plan drop knit babysit jog commit prefer ship")


def _forms(verb: str) -> tuple[str, str, str]:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    stem = verb[:-1] if verb.endswith("e") else verb + verb[-1] if verb in _DOUBLED else verb
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
    return third, stem + "ed", (verb if verb.endswith("ee") else stem) + "ing"


def _table() -> dict[str, tuple[str, Form]]:
    found: dict[str, tuple[str, Form]] = {}
    for verb in _VERBS:
        third, past, ing = _forms(verb)
        found[verb] = (verb, Form.BASE)
        found.update(dict.fromkeys(third.split(), (verb, Form.THIRD)))
        found.update(dict.fromkeys(past.split(), (verb, Form.PAST)))
        found[ing] = (verb, Form.ING)
    return found


_FORM: Final = _table()


def verb(word: str) -> tuple[str, Form] | None:
    """The verb in its base form and the form that a lower-case word is; None of a word that is no known verb.

    >>> verb("lives"), verb("taught"), verb("table")
    (('live', <Form.THIRD: 'third'>), ('teach', <Form.PAST: 'past'>), None)
    """
    return _FORM.get(word)
