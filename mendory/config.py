"""Configuration: one TOML file, every key typed and bounded, unknown keys refused by name."""

from __future__ import annotations

import json
import tomllib
from datetime import time, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from mendory.catalogue import RULES
from mendory.embedder_section import EmbedderSection
from mendory.errors import ConfigInvalid
from mendory.mapping import Mapping, TimeForms
from mendory.mapping.places import parse_place
from mendory.mapping.status import is_mark
from mendory.mapping.times import UNITS
from mendory.record import BY_NAME, FIELD_NAMES, Shape
from mendory.template import NoTemplate
from mendory.text import valueless

FILE_NAME = "mendory.toml"


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


class LimitsSection(Section):
    """How much may be changed without a person; without this section nothing is.

    `zone` is where a day begins. A share counts only from `min_rows` rows on.
    """

    rows_per_run: Count
    repairs_per_day: Count
    zone: Zone = "UTC"
    scope_share: Share = 0.2
    sick_share_scope: Share = 0.4
    sick_share_table: Share = 0.55
    min_rows: Annotated[int, Field(ge=0)] = 5


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


class AttemptsSection(Section):
    """How often one problem is repaired again before it is a person's."""

    most: Count = 3
    window: timedelta = Field(default=timedelta(days=30), gt=timedelta(0))


class RetentionSection(Section):
    """How long images of repaired rows are kept; never under 30 days (design §8)."""

    images: timedelta = Field(default=timedelta(days=30), ge=timedelta(days=30))


class TelemetrySection(Section):
    """Where an agent's own writes are noted, and how long; a relative path counts from the configuration."""

    path: Annotated[str, Field(min_length=1)] = ".mendory/telemetry.db"
    keep: timedelta = Field(default=timedelta(days=90), ge=timedelta(days=1))


class Config(BaseSettings):
    """Everything a user may set. `root` is the folder relative paths count from."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True)

    table: TableSection
    ledger: LedgerSection = LedgerSection()
    mapping: MappingSection = MappingSection()
    embedder: EmbedderSection | None = None
    metadata: MetadataSection = MetadataSection()
    duplicate: DuplicateSection = DuplicateSection()
    limits: LimitsSection | None = None
    rules: RulesSection = RulesSection()
    approval: ApprovalSection = ApprovalSection()
    attempts: AttemptsSection = AttemptsSection()
    retention: RetentionSection = RetentionSection()
    telemetry: TelemetrySection = TelemetrySection()
    privacy: PrivacySection = PrivacySection()
    report: ReportSection = ReportSection()
    notify: NotifySection | None = None
    root: Path = Field(default=Path("."), exclude=True)

    @classmethod
    def settings_customise_sources(  # only what is passed in counts: no stray variable changes a repair
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The configuration file is the only source; environment variables are not."""
        return (init_settings,)

    @classmethod
    def load(cls, path: Path) -> Config:
        """The configuration in the file; raises ConfigInvalid naming every wrong key."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"), path.resolve().parent, str(path))
        except FileNotFoundError:
            raise ConfigInvalid(
                f"There is no configuration at {path}. Nothing was read. Run 'mendory init <folder>#<table>' first."
            ) from None
        except (UnicodeDecodeError, IsADirectoryError) as error:
            raise ConfigInvalid(f"{path} is not readable: {error}. Nothing was done. Mend the file.") from None

    @classmethod
    def parse(cls, text: str, root: Path, where: str = "The configuration") -> Config:
        """The configuration in TOML text; raises ConfigInvalid naming every wrong key."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigInvalid(f"{where} is no TOML: {error}. Nothing was done. Mend the file.") from None
        if "root" in data:
            raise ConfigInvalid(f"{where}: unknown key 'root'. Nothing was done. Remove it.")
        return cls.build(data, root, where)

    @classmethod
    def build(cls, data: dict[str, Any], root: Path, where: str = "The configuration") -> Config:
        """The configuration in `data`; raises ConfigInvalid naming every wrong key."""
        try:
            return cls(**data, root=root)
        except ValidationError as error:
            lines = "; ".join(_complaint(item) for item in error.errors())
            raise ConfigInvalid(f"{where}: {lines}. Nothing was done. Mend these keys.") from None

    @property
    def table_uri(self) -> str:
        """The table's folder or URI, a relative folder counted from the configuration file."""
        uri = self.table.uri
        return uri if "://" in uri else str(self.root / Path(uri).expanduser())

    @property
    def ledger_url(self) -> str:
        """The ledger's URL, a relative SQLite path counted from the configuration file."""
        head, sep, path = self.ledger.url.partition("sqlite:///")
        if sep and not head and path and path != ":memory:":
            return f"sqlite:///{self.root / Path(path).expanduser()}"
        return self.ledger.url

    def metadata_schemas(self) -> dict[str, Any]:
        """The user's JSON Schemas by kind, read from their files; raises ConfigInvalid for one that can't be read."""
        found = {}
        for kind, name in self.metadata.schemas.items():
            path = self.root / Path(name).expanduser()
            try:
                found[kind] = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise ConfigInvalid(
                    f"metadata.schemas.{kind}: {path} can't be read as JSON ({type(error).__name__}). "
                    "Nothing was read. Mend the file or the key."
                ) from None
            if not isinstance(found[kind], dict):
                raise ConfigInvalid(
                    f"metadata.schemas.{kind}: {path} is no JSON object. Nothing was read. Write a JSON Schema there."
                )
        return found

    @property
    def telemetry_path(self) -> Path:
        """The telemetry file, a relative path counted from the configuration file."""
        return self.root / Path(self.telemetry.path).expanduser()

    @property
    def door_place(self) -> str:
        """How the telemetry file names the table."""
        return f"{self.table.uri}#{self.table.name}"

    def record_mapping(self) -> Mapping:
        """The mapping the file describes."""
        m = self.mapping
        return Mapping.of(
            m.columns,
            m.absent,
            m.volatile,
            m.zone,
            times={n: TimeForms(f.forms, ZoneInfo(f.zone) if f.zone else None) for n, f in m.times.items()},
            words=m.status.values,
            missing=m.status.missing,
            hide=False if m.hide == "none" else m.hide,
            show=m.show,
            pending=m.pending,
            skip_ids=m.skip_ids,
            optional=m.optional,
            vectors=m.vectors,
        )

    def day_zone(self) -> ZoneInfo:
        """The zone in which a day of the budget begins."""
        return ZoneInfo(self.limits.zone if self.limits else "UTC")


def _complaint(item: Any) -> str:
    key = ".".join(str(part) for part in item["loc"])
    return f"unknown key '{key}'" if item["type"] == "extra_forbidden" else f"{key}: {item['msg']}"
