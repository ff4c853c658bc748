"""The sections of the configuration file: every key typed and bounded, unknown keys refused by name."""

from __future__ import annotations

import json
from datetime import time, timedelta
from typing import Annotated, Any, Final, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from mendory.catalogue import CAREFUL, CONFLICT_RULES, PRESETS, RULES
from mendory.mapping.places import parse_place
from mendory.mapping.status import is_mark
from mendory.mapping.times import UNITS
from mendory.record import BY_NAME, FIELD_NAMES, Kind, Shape
from mendory.scopes.ancestry import Parents
from mendory.scopes.doubt import DEFAULTS
from mendory.template import NoTemplate
from mendory.text import valueless
from mendory.traits import Names


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError(f"'{name}' is no IANA time zone")
    return name


def _fields(names: Any) -> Any:
    unknown = sorted(set(names) - set(FIELD_NAMES))
    if unknown:
        raise ValueError(f"no such field: {', '.join(unknown)}; fields are {', '.join(FIELD_NAMES)}")
    return names


def _places(columns: dict[str, str]) -> dict[str, str]:
    for name, text in _fields(columns).items():
        try:
            parse_place(text)
        except NoTemplate as error:
            raise ValueError(f"{name}: '{text}' is no template: {error}") from None
    return columns


def _times(times: dict[str, Any]) -> dict[str, Any]:
    wrong = sorted(name for name in _fields(times) if BY_NAME[name].shape is not Shape.TIME)
    if wrong:
        raise ValueError(f"no time: {', '.join(wrong)}")
    return times


def _forms(forms: tuple[str, ...]) -> tuple[str, ...]:
    wrong = [form for form in forms if form not in (*UNITS, "iso") and "%" not in form]
    if wrong or not forms:
        raise ValueError(
            f"no form of a time: {', '.join(wrong) or 'none'}; forms are s, ms, us, ns, iso or e.g. %Y/%m/%d"
        )
    return forms


def _marks(marks: Any) -> Any:
    for place, value in marks.items() if isinstance(marks, dict) else ():
        if not is_mark(value):
            marks_are = "a text, number, true or false, or now:ms, now:iso, now:timestamp"
            raise ValueError(f"'{place}' can't be set to {value!r}; a mark is {marks_are}")
    if marks == {}:
        raise ValueError('no mark is named; write hide = "none" when the reader hides nothing')
    return marks


def _rules(names: tuple[str, ...]) -> tuple[str, ...]:
    unknown = sorted(set(names) - RULES)
    if unknown:
        raise ValueError(f"no such rule: {', '.join(unknown)}; rules are {', '.join(sorted(RULES))}")
    return names


def _deciding(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    unknown = sorted(set(names or ()) - set(CONFLICT_RULES))
    if unknown:
        raise ValueError(f"no such rule: {', '.join(unknown)}; rules are {', '.join(CONFLICT_RULES)}")
    if names is not None and len(set(names)) < len(names):
        raise ValueError("a rule is named twice")
    return names


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    wrong = [name for name in names if not name.strip() or not name.isprintable() or len(name) > 64]
    if wrong:
        raise ValueError(f"no name: {', '.join(map(repr, wrong))}; a name has 1 to 64 printable characters")
    return names


def _quiet(hours: tuple[time, time] | None) -> tuple[time, time] | None:
    if hours and hours[0] == hours[1]:
        raise ValueError("begins when it ends; leave quiet out to be told at any hour")
    return hours


def _web(url: str) -> str:
    if url and not url.startswith(("http://", "https://")):
        raise ValueError("begins with neither http:// nor https://")
    return url.rstrip("/")


def _defaults(values: dict[str, Any]) -> dict[str, Any]:
    for key, value in values.items():
        if valueless(value):
            raise ValueError(f"the default of '{key}' holds nothing")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise ValueError(f"the default of '{key}' can't be written as JSON") from None
    return values


def _parents(declared: dict[str, str]) -> dict[str, str]:
    Parents.of(declared)
    return declared


Zone = Annotated[str, AfterValidator(_zone)]
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A table of the file; keys it does not know are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TableSection(Section):
    """Which table: a LanceDB folder or URI, the table's name in it, and the vector length should import create it."""

    uri: str
    name: str = Field(pattern=r"^[A-Za-z0-9_.\-]+$")
    dimension: Annotated[int, Field(ge=1, le=65535)] = 384


class LedgerSection(Section):
    """Where the ledger is; a relative SQLite path counts from the configuration file."""

    url: str = "sqlite:///.mendory/ledger.db"


class TimesSection(Section):
    """How one field's times are written, where they are no Arrow timestamps."""

    forms: Annotated[tuple[str, ...], AfterValidator(_forms)]
    zone: Zone | None = None


class StatusSection(Section):
    """The owner's words for a status, each with ours, and what no word means."""

    values: dict[str, Literal["active", "pending_review", "archived"]] = {}
    missing: Literal["active", "pending_review", "archived"] | None = None


class MappingSection(Section):
    """Where each field lies; the default is our own table."""

    columns: Annotated[dict[str, str], AfterValidator(_places)] = {}
    absent: Annotated[tuple[str, ...], AfterValidator(_fields)] = ()
    optional: Annotated[tuple[str, ...], AfterValidator(_fields)] = ()
    volatile: tuple[str, ...] = ()
    skip_ids: tuple[str, ...] = ()
    # not in the repr, which names the side state: that is of the embedding alone, and must outlive a change here
    vectors: tuple[str, ...] = Field(default=(), repr=False)
    zone: Zone = "UTC"
    times: Annotated[dict[str, TimesSection], AfterValidator(_times)] = {}
    status: StatusSection = StatusSection()
    hide: Annotated[Literal["none"] | dict[str, Any] | None, AfterValidator(_marks)] = None
    show: Annotated[dict[str, Any] | None, AfterValidator(_marks)] = None
    pending: Annotated[dict[str, Any] | None, AfterValidator(_marks)] = None

    @model_validator(mode="after")
    def _one_word_each_way(self) -> MappingSection:
        both = sorted(set(self.columns) & set(self.absent))
        if both:
            raise ValueError(f"both mapped and absent: {', '.join(both)}")
        return self


class MetadataSection(Section):
    """Which metadata keys every memory must have, which name its owner, and what may be filled in.

    `schemas` names files of JSON Schema by kind of memory, `*` for all others; a schema replaces `required`.
    """

    required: tuple[str, ...] = ("topic", "entities", "scene")
    owner_keys: tuple[str, ...] = ("owner", "user", "user_id")
    defaults: Annotated[dict[str, Any], AfterValidator(_defaults)] = {}
    min_siblings: Annotated[int, Field(ge=2)] = 3
    schemas: dict[str, Annotated[str, Field(min_length=1)]] = {}


class DuplicateSection(Section):
    """Within `window` equal memories are a double write; outside it a restatement.

    `incidental` names further metadata keys and columns of the owner that never change what a memory means.
    """

    window: timedelta = Field(default=timedelta(hours=1), gt=timedelta(0))
    incidental: tuple[str, ...] = ()


class ScopesSection(Section):
    """Which scope lies in which, child → parent, by name or by a pattern such as `{user}/{project}`.

    `defaults` are the names that programs write where nobody told them whose a memory is.
    """

    parents: Annotated[dict[str, str], AfterValidator(_parents)] = {}
    defaults: Annotated[tuple[str, ...], AfterValidator(_names)] = DEFAULTS


class ConflictSection(Section):
    """Which rules decide between two memories that can't both hold, in which order, and what they go by.

    `preset` is an order with a name, instead of `rules`. Times closer than `tie_window` are one. `authorities` are
    sources that stand over anything extracted. `single_valued` are attributes of claims that hold one value at a time,
    beside those that Mendory declares so.
    """

    preset: Literal["latest_user_statement"] | None = None
    rules: Annotated[tuple[str, ...] | None, AfterValidator(_deciding)] = None
    tie_window: timedelta = Field(default=timedelta(minutes=5), ge=timedelta(0))
    authorities: tuple[str, ...] = ("config", "manual")
    single_valued: Annotated[tuple[str, ...], AfterValidator(_names)] = ()

    @model_validator(mode="after")
    def _one_order(self) -> ConflictSection:
        if self.preset and self.rules is not None:
            raise ValueError(f"both a preset and rules; rules as the preset has them: {', '.join(self.order)}")
        return self

    @property
    def order(self) -> tuple[str, ...]:
        """The rules in the order in which they are asked."""
        if self.preset:
            return PRESETS[self.preset]
        return CAREFUL if self.rules is None else self.rules


class GuardSection(Section):
    """Whether the library door compares a memory with those of its scope before it writes it, and what follows.

    An exact double write that brings nothing is refused or noted; anything else is noted. A table that would take more
    than `max_memory_mb` in the agent's process is not compared with.
    """

    enabled: bool = True
    duplicate_exact: Literal["refuse", "note"] = "refuse"
    max_memory_mb: Count = 1000


_HALF_LIVES: Final = {
    Kind.EPHEMERAL: timedelta(days=1),
    Kind.EVENT: timedelta(days=90),
    Kind.FACT: timedelta(days=180),
    Kind.PREFERENCE: timedelta(days=180),
    Kind.PROCEDURE: timedelta(days=180),
    Kind.OTHER: timedelta(days=180),
}
_FLOORS: Final = {
    Kind.EPHEMERAL: 0.1,
    Kind.EVENT: 0.5,
    Kind.FACT: 0.7,
    Kind.PREFERENCE: 0.6,
    Kind.PROCEDURE: 0.6,
    Kind.OTHER: 0.6,
}
Days = Annotated[timedelta, Field(gt=timedelta(0), le=timedelta(days=36500))]
Weight = Annotated[float, Field(ge=0, le=1)]


class StalenessSection(Section):
    """How fast each kind of memory loses weight at recall, and how far; kinds left out keep their defaults.

    An ephemeral memory begins to when nobody has read it for `unread`. `lasting` is the least that an allergy, a blood
    type, a faith or a birthday weighs. Below the freshness `stale_below` a scope's memories are told of. A task said to
    be under way counts as finished after `finished_after`, and weighs `finished` then; what belongs to a project,
    employer or tool that was left weighs `left`.
    """

    half_life: Annotated[dict[Kind, Days], AfterValidator(lambda given: _HALF_LIVES | given)] = _HALF_LIVES
    floor: Annotated[dict[Kind, Weight], AfterValidator(lambda given: _FLOORS | given)] = _FLOORS
    unread: timedelta = Field(default=timedelta(days=3), ge=timedelta(0))
    lasting: Weight = 0.95
    stale_below: Weight = 0.6
    finished_after: Days = timedelta(days=14)
    finished: Weight = 0.3
    left: Weight = 0.5


class DiagnosisSection(Section):
    """Under which metadata keys, or in which further columns, a row names its writer and the space of its vector.

    A cause whose rows begin within `window` after a change event names that event.
    """

    writer: Annotated[tuple[str, ...], AfterValidator(_names)] = Names().writer
    space: Annotated[tuple[str, ...], AfterValidator(_names)] = Names().space
    window: timedelta = Field(default=timedelta(days=3), gt=timedelta(0))


class LimitsSection(Section):
    """How much may be changed without a person; without this section nothing is.

    `zone` is where a day begins. A share counts only from `min_rows` rows on. Where more than `reembed_rows` rows
    wait to be embedded anew, a person alone lets it be done.
    """

    rows_per_run: Count
    repairs_per_day: Count
    zone: Zone = "UTC"
    scope_share: Share = 0.2
    sick_share_scope: Share = 0.4
    sick_share_table: Share = 0.55
    min_rows: Annotated[int, Field(ge=0)] = 5
    reembed_rows: Annotated[int, Field(ge=0)] = 100


class RulesSection(Section):
    """Repair rules that a person has confirmed to run without asking, by name."""

    confirmed: Annotated[tuple[str, ...], AfterValidator(_rules)] = ()


class ApprovalSection(Section):
    """How long a plan waits for a person, silence expiring it; who may answer for level 2 on the server's page."""

    window: timedelta = Field(default=timedelta(hours=24), gt=timedelta(0))
    approvers: Annotated[tuple[str, ...], AfterValidator(_names)] = ()


class PrivacySection(Section):
    """Whether the beginnings of memories may stand on the server's pages while a plan is open."""

    prefect_excerpts: Literal["none", "short"] = "none"


class ReportSection(Section):
    """The language of pages and notices, and the address under which `.mendory/reports` can be read."""

    lang: Literal["en", "zh"] = "en"
    base_url: Annotated[str, AfterValidator(_web)] = ""


class NotifySection(Section):
    """Where people are told that a plan waits: a webhook whose address is in an environment variable.

    In the quiet hours, which may pass midnight, only what is of high severity is told; the rest is told after them.
    """

    shape: Literal["json", "slack", "feishu", "dingtalk", "wecom"] = "json"
    url_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "MENDORY_WEBHOOK_URL"
    secret_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    quiet: Annotated[tuple[time, time] | None, AfterValidator(_quiet)] = None
    zone: Zone = "UTC"


class QueueSection(Section):
    """How long a finding may wait for a person before people are told that it does."""

    alarm_after: timedelta = Field(default=timedelta(days=7), gt=timedelta(0))


class AttemptsSection(Section):
    """How often one problem is repaired again before it is a person's."""

    most: Count = 3
    window: timedelta = Field(default=timedelta(days=30), gt=timedelta(0))


class MigrationSection(Section):
    """How a move to another embedding model goes on: the least recalls of each share, its soak, what voids a word.

    An approval is void once more than `void_share` of the rows changed since the gate. Its work is nicer than other
    programs by `niceness`: by ten, a busy one leaves it a tenth of a processor.
    """

    canary_recalls: Count = 200
    soak: timedelta = Field(default=timedelta(days=7), ge=timedelta(days=7), le=timedelta(days=15))
    void_share: Share = 0.05
    niceness: Annotated[int, Field(ge=0, le=19)] = 10


class RetentionSection(Section):
    """How long images of repaired rows are kept; never under 30 days (design §8)."""

    images: timedelta = Field(default=timedelta(days=30), ge=timedelta(days=30))


class TelemetrySection(Section):
    """Where an agent's own writes are noted, and how long; a relative path counts from the configuration."""

    path: Annotated[str, Field(min_length=1)] = ".mendory/telemetry.db"
    keep: timedelta = Field(default=timedelta(days=90), ge=timedelta(days=1))
