"""Of whatever texts: the information score has its bounds, and what only others say is kept, in their own words."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.language import language_of
from mendory.plan.information import most_informative_first, scores, unique_parts
from mendory.plan.summarise import summary
from mendory.record import Memory
from mendory.text import exact_key
from tests.conftest import NOON

_PARTS = st.sampled_from(
    [
        *("Likes tea", "Lives in Oslo", "Lives in Oslo since 2019", "Drinks 2 cups a day", "Does not eat fish"),
        *("喜欢喝茶", "住在奥斯陆", "每天喝两杯", "不吃鱼", "周五出发"),
        *("커피", "", " ", "👍", "v1.2", "2", "..."),
    ]
)
_TEXTS = st.lists(_PARTS, min_size=1, max_size=3).map(". ".join)


@st.composite
def members(draw: st.DrawFn) -> list[Memory]:
    """A few memories of one scope, whatever they say, came from and lack."""
    count = draw(st.integers(2, 5))
    return [
        Memory(
            f"m{n}",
            draw(_TEXTS),
            metadata=draw(st.sampled_from([None, {}, {"topic": "x"}, {"topic": "", "scene": "y"}])),
            created_at=draw(st.sampled_from([None, NOON, NOON + timedelta(days=3)])),
            source=draw(st.sampled_from([None, "user_stated", "model_inferred", "system_log", "crm"])),
            superseded_by=draw(st.sampled_from([None, "m0", "z"])),
            vectorless=draw(st.booleans()),
        )
        for n in range(count)
    ]


@settings(deadline=None)  # the first text of a language loads its lists
@given(members(), st.randoms(use_true_random=False))
def test_the_score_has_its_bounds_and_forgets_the_order(held: list[Memory], random: Random) -> None:
    """0 to 1, the same in whatever order the rows come, and so is the row that is kept."""
    shuffled = random.sample(held, len(held))

    assert scores(held) == scores(shuffled)
    assert all(0 <= score <= 1 for score in scores(held).values())
    assert most_informative_first(held) == most_informative_first(shuffled)


@settings(deadline=None)  # the first text of a language loads its lists
@given(_TEXTS, st.lists(_TEXTS, max_size=4))
def test_what_only_others_say_is_kept_in_their_own_words(primary: str, others: list[str]) -> None:
    """Each note stands in one of the others; once it is noted, nothing of theirs is new any more."""
    parts = unique_parts(primary, others)

    assert all(any(part in other for other in others) for part in parts)
    assert len({exact_key(part) for part in parts}) == len(parts)
    together = "\n".join([primary, *parts])
    if all(language_of(text) == language_of(primary) is not None for text in [*others, together]):
        assert [] == unique_parts(together, others)
    assert [] == unique_parts(primary, [primary])


@settings(deadline=None)  # the first text of a language loads its lists
@given(st.lists(_TEXTS.filter(lambda text: text.strip(" .")), min_size=1, max_size=4))
def test_a_summary_says_nothing_new(texts: list[str]) -> None:
    """It begins as the first text does, and holds nothing but the texts' own characters and what parts them."""
    said = summary(texts)

    if said is not None:
        assert said.startswith(texts[0].strip())
        assert set(said) <= set("".join(texts)) | set("；; ")
