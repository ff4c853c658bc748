"""What somebody does for a living, and for whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, Tense, Value
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.jobs import is_one, job, line_of_work, modifiers
from mendory.language.en.claims.projects import project
from mendory.language.en.claims.values import fact, folds, term
from mendory.language.en.claims.verbs import verb
from mendory.language.en.forms import known
from mendory.language.en.lists import FUNCTION, listed

_AS = re.compile(r"\bas (?P<job>(?:a|an|the|head|lead|chief)\b.*|\w+$)")
_WHERE = re.compile(r"^(?:\w+ ){0,3}?(?:in|at|for|with|on) (?P<where>.*)")
_WORK_OF = re.compile(r"\b(?:job|position|gig|career|work) (?:as|at|in|with|for) (?P<where>.*)")
_JOB_BEFORE = re.compile(r"^(?:a|an|my own|the) (?P<what>\w+(?: \w+)?) (?:job|career|position)\b")
_IN = re.compile(
    r"^(?:in|into) (?:the )?(?P<what>army|navy|military|marines|marine corps|air force|marketing|finance|sales"
    r"|insurance|construction|tech|it|real estate|advertising|banking|publishing|law enforcement|public relations)\b"
)
_ON_SITE = re.compile(
    r"^on (?:an?|the|my|our) (?:\w+ ){0,2}?(?:farm|ranch|plantation|oil rig|oil field|railroad|assembly line)\b"
)
"""Where one works "on" a place; what else one works on is no line of work."""
_LAID_OFF = re.compile(
    r"^(?:laid off|fired(?! up)|let go(?! of)|made redundant|sacked|furloughed)\b(?: (?:from|by|at) (?P<name>.+))?"
)
_LONG_AGO = re.compile(r"\b(?:(?:new|another|other) job|hired|(?:19|20)\d\d|years ago|once|as a teen\w*|in college)\b")
"""What tells that another job came after the one that was lost, or that nobody knows it."""
_RETIRED = re.compile(r"^(?:a |an |now )?(?:retired|unemployed|jobless|out of work|between jobs|out of a job)\b")
_NAME_ENDS = re.compile(
    r"\s*(?:,|\b(?:as|in|on|since|for|and|but|who|where|which|with|now|part|full|because|so|by|to|from|until"
    r"|right|at|while|instead|rather"
    r"|when|doing|these|during|again)\b).*"
)
_NO_NAME = listed(
    "home night nights weekends myself himself herself least times family people money hours fun days work"
)
_OWNS = re.compile(
    r"^(?:my own|our own|his own|her own|their own|a|an|the|a small|my) (?:\w+ )?(?:business|company|shop|store"
    r"|studio|restaurant|bakery)\b"
)
_LIVING = {
    "wait": (r"^tables?\b", "waiter"),
    "waitress": (r"", "waitress"),
    "bartend": (r"", "bartender"),
    "tend": (r"^bar\b", "bartender"),
    "flip": (r"^burgers", "cook"),
    "deliver": (r"^(?:mail|packages|pizza|pizzas|newspapers)\b", "courier"),
    "write": (r"\b(?:books|novels|romance)\b", "writer"),
    "stock": (r"^shelves", "stocker"),
    "decorate": (r"^cakes", "cake decorator"),
    "sell": (r"^cars\b", "car salesman"),
    "drive": (r"^(?:a )?(?:truck|taxi|bus|cab|big truck)s? for\b", "driver"),
    "fix": (r"^cars\b", "mechanic"),
    "repair": (r"^cars\b", "mechanic"),
    "groom": (r"^dogs\b", "dog groomer"),
    "practise": (r"^law\b", "lawyer"),
    "practice": (r"^law\b", "lawyer"),
}
_PASTIMES = listed(
    "artist writer musician singer dancer poet painter photographer athlete blogger actor drummer guitarist"
)
"""What many are who live by something else."""
_AT_A_JOB = re.compile(
    r"(?:$|(?:full|part)[ -]?time\b|fulltime|at (?!home)|for (?!it|fun|me)|in (?!the garden|my)|from home"
    r"|nights|days|shifts|remotely|online|overtime|too much|a lot|long|\w+ (?:hours|days)\b|during the|all (?:day|week)"
    r"|(?:on )?weekends)"
)
"""What is said behind "work" of whoever has a job; who works on something, or out, may have none."""
_BESIDE = (
    (re.compile(r"\b(?:on the side|second job|moonlight(?:s|ing)?|(?:on|at) (?:the )?weekends|spare time)\b"), 0.45),
    (re.compile(r"\b(?:side (?:job|gig|hustle)|pay (?:the|my) bills|makes? ends meet)\b"), 0.45),
    (re.compile(r"\b(?:also|part[ -]time)\b"), 0.6),
)
"""What is done beside another occupation, which it does not exclude, and how sure that makes it at most: below what
decides, but for what is the only one for most who say so (`make quality`, dnli)."""
_MEANT = listed("imagine consider see think hate dream describe know")
_LEARNERS = listed("me myself my him her them us you the your how people dog dogs it")


def work(clause: Clause) -> Iterator[Claim]:
    """Claims of `job` and `employer`."""
    if _employed(clause):
        yield fact(clause, "job", (), 0.7, denied=False)
    said = clause.text.lower()
    most = min((sure for words, sure in _BESIDE if words.search(said)), default=1.0)
    for claim in _occupation(clause):
        yield replace(claim, confidence=min(claim.confidence, most))


def _employed(clause: Clause) -> bool:
    """Whether the clause says that there is a job, whichever."""
    if clause.denied or clause.tense is not Tense.NOW:
        return False
    rest = clause.rest
    if clause.thing in ("job", "current job", "new job"):
        return clause.verb != "involve"
    if clause.thing:
        return False
    if clause.verb == "work":
        return _AT_A_JOB.match(rest) is not None
    if clause.verb in ("like", "love", "hate", "enjoy", "dislike"):
        return re.match(r"(?:my|his|her|their) (?:current |new )?job\b", rest) is not None
    found = re.match(r"an? (?:[\w ]+ )?(?:job|career)\b(?! (?:interview|offer|hunt|search))", rest)
    return (clause.verb == "have" and found is not None) or (clause.verb == "be" and rest == "employed")


def _occupation(clause: Clause) -> Iterator[Claim]:
    rest, does = clause.rest, clause.verb
    if clause.thing in ("job", "work", "profession", "occupation", "career", "day job", "current job", "new job"):
        of_work = clause.thing != "work" or re.match(r"(?:in|as) ", rest)
        if does in ("be", "involve", "change") and clause.tense is Tense.NOW and of_work:
            yield from _named(clause, rest.removeprefix("to "), 0.8)
        return
    if clause.thing:
        return
    if does in ("be", "get") and (gone := _LAID_OFF.match(rest)):
        yield from _laid_off(clause, gone["name"])
    elif does == "be":
        yield from _being(clause, rest)
    elif does in ("work", "moonlight"):
        yield from _working(clause, rest)
    elif does in ("have", "get", "start", "take", "find"):
        yield from _having(clause, rest)
    elif does == "become" and _RETIRED.match(rest):
        yield fact(clause, "job", (), 0.85, denied=True, ends=True)
    elif does == "become" and (found := job(rest)):
        yield fact(clause, "job", (found,), 0.85, ends=True)
    elif does == "retire" and clause.tense is Tense.NOW:
        yield fact(clause, "job", (), 0.85, denied=True, ends=True)
    elif does in ("leave", "quit", "join") and project(clause, rest):
        return
    elif does in ("quit", "lose", "leave") and re.match(r"(?:my|his|her|their|the|your) (?:\S+ ){0,4}?jobs?\b", rest):
        if was := job(as_what["job"]) if (as_what := _AS.search(rest)) else None:
            yield replace(fact(clause, "job", (was,), 0.75, denied=True, ends=True), before=(was,))
        elif not _LONG_AGO.search(clause.text.lower()):
            yield fact(clause, "job", (), 0.7, denied=True, ends=True)
        if (at := re.search(r"\b(?:at|with) (?P<name>.*)", rest)) and (left := _employer(clause, at["name"])):
            yield fact(clause, "employer", (left,), 0.8, denied=True, ends=True)
    elif does in ("leave", "quit") and (left := _employer(clause, rest)):
        yield fact(clause, "employer", (left,), 0.7, denied=True, ends=True)
    elif does == "join" and rest.startswith("the") and (found := line_of_work(rest)):
        yield fact(clause, "job", (found,), 0.75)
    elif does in ("join", "found") and (joined := _employer(clause, rest)):
        yield fact(clause, "employer", (joined,), 0.8, ends=True)
    elif does == "teach" and not clause.denied and rest.partition(" ")[0] not in _LEARNERS:
        yield fact(clause, "job", (_job("teacher"),), 0.7)
    elif does in ("own", "run") and _OWNS.match(rest) and not clause.denied:
        yield fact(clause, "job", (line_of_work(rest) or _job("business owner"),), 0.62)
    elif does in _LIVING and not clause.denied and re.search(_LIVING[does][0], rest):
        yield fact(clause, "job", (_job(_LIVING[does][1]),), 0.7)
    elif rest.endswith("for a living") and does in ("cook", "paint", "sing", "dance", "drive"):
        does = {"cook": "cook", "paint": "artist", "sing": "singer", "dance": "dancer", "drive": "driver"}[does]
        yield fact(clause, "job", (_job(does),), 0.75)
    elif rest.endswith("for a living"):
        done = rest.removesuffix("for a living").strip()
        value = line_of_work(done) or term(" ".join([does, *folds(done)]))
        yield fact(clause, "job", (value,), 0.65)
    elif does == "do" and (line := line_of_work(re.sub(r"^(?:some|freelance) | (?:work|stuff)$", "", rest))):
        yield fact(clause, "job", (line,), 0.65)
    elif (
        does not in _MEANT and not clause.denied and (also := re.search(r"\b(?:as|being) an? (\w+(?: \w+){0,4})", rest))
    ):
        yield from (fact(clause, "job", (found,), 0.68) for found in (job(also.group(1)),) if found)


def _laid_off(clause: Clause, name: str | None) -> Iterator[Claim]:
    """Who was laid off has no job, unless that was long ago; nor the employer who is named."""
    if clause.denied:
        return
    now = replace(clause, tense=Tense.NOW) if clause.tense is Tense.PAST else clause
    if not _LONG_AGO.search(clause.text.lower()):
        yield fact(now, "job", (), 0.7, denied=True, ends=True)
    if name and (left := _employer(clause, name)):
        yield fact(now, "employer", (left,), 0.8, denied=True, ends=True)


def _being(clause: Clause, rest: str) -> Iterator[Claim]:
    if _RETIRED.match(rest):
        yield fact(clause, "job", (), 0.85, denied=not clause.denied)
        if found := job(rest):
            yield replace(fact(clause, "job", (found,), 0.8), tense=Tense.PAST)
    elif employed := re.match(r"(?:self )?employed(?: (?P<how>as|at|by|in|with|a) (?P<what>.*))?", rest):
        what = employed["what"] or ""
        if employed["how"] == "as":
            yield from _named(clause, what, 0.85)
        elif what and (line := line_of_work(what)):
            yield fact(clause, "job", (line,), 0.75)
        elif what and (name := _employer(clause, what)):
            yield fact(clause, "employer", (name,), 0.85)
    elif within := _IN.match(rest):
        if line := line_of_work(within["what"]):
            yield fact(clause, "job", (line,), 0.78)
    elif not re.match(
        r"(?:not |like |as |about |with |married|in |on |at |from |for |the \w+est|a fan|a big fan)", rest
    ):
        found = job(rest)
        if found is not None and is_one(rest.partition(found.text)[0], clause.denied):
            listed_all = [value for part in re.split(r" and (?:an? )?", rest) if (value := job(part))]
            sure = 0.65 if found.text in _PASTIMES else 0.85
            values = tuple(dict.fromkeys(map(_pastime, listed_all))) or (_pastime(found),)
            yield fact(clause, "job", values, sure)
        where = re.search(r"\b(?:of|at) (?P<name>[\w ]+)$", rest)
        if found is not None and where and not clause.denied and (name := _employer(clause, where["name"])):
            yield fact(clause, "employer", (name,), 0.75)


def _pastime(found: Value) -> Value:
    """The occupation; one that is many a one's pastime lies in every other such: who writes may paint."""
    return replace(found, within=(*found.within, *sorted(_PASTIMES))) if found.text in _PASTIMES else found


def _working(clause: Clause, rest: str) -> Iterator[Claim]:
    if not rest or rest in ("at all", "right now", "outside the home"):
        if clause.denied:
            yield fact(clause, "job", (), 0.75)
        return
    said = _AS.search(rest)
    if said:
        yield from _named(clause, said["job"], 0.87)
    where = _WHERE.match(rest)
    if where is None or (rest.startswith("on ") and not _ON_SITE.match(rest)):
        return
    line = line_of_work(where["where"])
    if not said and line is not None:
        yield fact(clause, "job", (line,), 0.75)
    if rest.startswith(("at ", "for ", "with ")) and (name := _employer(clause, where["where"])):
        was = _employer(clause, clause.instead) if clause.instead else None
        made = fact(clause, "employer", (name,), 0.88)
        yield replace(made, before=(was,)) if was else made


def _having(clause: Clause, rest: str) -> Iterator[Claim]:
    if re.match(r"(?:no|a|any) (?:job|work)$", rest) and (clause.denied or rest.startswith("no")):
        yield fact(clause, "job", (), 0.8, denied=True)
        return
    yield from _doing(clause, rest)
    where = re.match(r"hired (?:as|at|by|in|for) (?P<where>.*)", rest) or _WORK_OF.search(rest)
    if where is None:
        before = _JOB_BEFORE.match(rest)
        if before and (found := line_of_work(before["what"]) or job(before["what"])):
            yield fact(clause, "job", (found,), 0.75)
        return
    yield from _named(clause, where["where"], 0.82)
    if (name := _employer(clause, where["where"])) and re.search(r"\b(?:at|with) ", rest):
        yield fact(clause, "employer", (name,), 0.8)


def _doing(clause: Clause, rest: str) -> Iterator[Claim]:
    """A job that is told by what is done in it: "a new job selling cars"."""
    found = re.match(r"(?:an? |my )?(?:\w+ )?job (?P<does>\w+ing) (?P<what>.+)", rest)
    does = verb(found["does"]) if found else None
    if found and does and not clause.denied:
        known_as = _LIVING.get(does[0], ("$^", ""))
        named = known_as[1] if re.search(known_as[0], found["what"]) else ""
        value = _job(named) if named else term(" ".join([does[0], *folds(found["what"])]))
        yield fact(clause, "job", (value,), 0.7 if named else 0.62)


def _named(clause: Clause, what: str, sure: float) -> Iterator[Claim]:
    """A job or a line of work named in words; an occupation that nobody listed is one where an article says so."""
    what = re.sub(r"^(?:to be|being|that of) ", "", what)
    if found := job(what):
        yield fact(clause, "job", (found,), sure)
    elif line := line_of_work(what.removeprefix("in ").removeprefix("the ")):
        yield fact(clause, "job", (line,), min(sure, 0.75))
    elif re.match(r"an? ", what) and (words := modifiers(what)) and clause.verb in ("work", "moonlight"):
        said = folds(words)
        if said and len(said) <= 3:
            yield fact(clause, "job", (term(" ".join(said), (said[-1],) if len(said) > 1 else ()),), 0.7)


def _job(name: str) -> Value:
    return job(name) or term(name)


def _employer(clause: Clause, where: str) -> Value | None:
    """The name of an employer: written like a name, or, in a text without any, no word of English."""
    where = re.split(r"\b(?:at|with) ", where)[-1] if re.match(r".* (?:at|with) ", where) else where
    words = _NAME_ENDS.sub("", f"{where} ").strip().split()
    words = words[1:] if words[:1] == ["the"] else words
    if not words or words[0] in _NO_NAME or len(words) > 4:
        return None
    if words[0] in clause.capitals:
        kept = []
        for word in words:
            if word not in clause.capitals and word not in ("of", "and", "&", "de"):
                break
            kept.append(word)
        return term(" ".join(kept))
    shouts = any(raw.isupper() and raw != "I" for raw in re.findall(r"[A-Za-z]", clause.text[1:]))
    strange = not known(words[0]) and words[0] not in FUNCTION and words[0].isalpha()
    return term(" ".join(words)) if strange and not shouts and line_of_work(where) is None else None
