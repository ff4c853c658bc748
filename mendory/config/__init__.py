"""Configuration: one TOML file, every key typed and bounded, unknown keys refused by name."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from mendory.config.judge import JudgeSection
from mendory.config.sections import (
    ApprovalSection,
    AttemptsSection,
    ConflictSection,
    DiagnosisSection,
    DuplicateSection,
    GuardSection,
    LedgerSection,
    LimitsSection,
    MappingSection,
    MetadataSection,
    MigrationSection,
    NotifySection,
    PrivacySection,
    QueueSection,
    ReportSection,
    RetentionSection,
    RulesSection,
    ScopesSection,
    StalenessSection,
    TableSection,
    TelemetrySection,
)
from mendory.embedder_section import EmbedderSection
from mendory.errors import ConfigInvalid
from mendory.mapping import Mapping, TimeForms

__all__ = ["FILE_NAME", "ApprovalSection", "Config", "LimitsSection", "NotifySection", "StalenessSection"]

FILE_NAME = "mendory.toml"


class Config(BaseSettings):
    """Everything a user may set. `root` is the folder relative paths count from."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True)

    table: TableSection
    ledger: LedgerSection = LedgerSection()
    mapping: MappingSection = MappingSection()
    embedder: EmbedderSection | None = None
    metadata: MetadataSection = MetadataSection()
    duplicate: DuplicateSection = DuplicateSection()
    conflict: ConflictSection = ConflictSection()
    scopes: ScopesSection = ScopesSection()
    judge: JudgeSection | None = None
    staleness: StalenessSection = StalenessSection()
    diagnosis: DiagnosisSection = DiagnosisSection()
    guard: GuardSection = GuardSection()
    limits: LimitsSection | None = None
    rules: RulesSection = RulesSection()
    approval: ApprovalSection = ApprovalSection()
    attempts: AttemptsSection = AttemptsSection()
    queue: QueueSection = QueueSection()
    migration: MigrationSection = MigrationSection()
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
    def reports_path(self) -> Path:
        """The folder of the case records that nobody gave another place, beside the configuration file."""
        return self.root / ".mendory" / "reports"

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
