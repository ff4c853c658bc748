"""What owners call their columns: English, Chinese and pinyin names of every field, best first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[\s\-.]+")
_PREFIX = re.compile(r"^(?:mem|memory|f|fld|col|c|jiyi|记忆)_?(?=.)")


def plain(name: str) -> str:
    """The name as small words joined by underscores, however the owner joins them.

    >>> plain("createdAt"), plain("agent-ID"), plain("_id"), plain("创建时间")
    ('created_at', 'agent_id', 'id', '创建时间')
    """
    return _GAP.sub("_", _HUMP.sub("_", name)).lower().strip("_")


def rank(name: str, known: Sequence[str]) -> float | None:
    """How well a name fits the list `known`: 0 is best; None when it does not.

    A name that fits only without a prefix such as `mem_` comes right after the one it then is.

    >>> rank("text", ("text", "note")), rank("mem_text", ("text", "note")), rank("title", ("text", "note"))
    (0, 0.5, None)
    """
    words = plain(name)
    if words in known:
        return known.index(words)
    bare = _PREFIX.sub("", words)
    return known.index(bare) + 0.5 if bare != words and bare in known else None


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "id": _words(
            "id mem_id memory_id uuid guid doc_id document_id record_id row_id point_id node_id 编号 主键 "
            "记忆编号 记忆id 唯一标识 bianhao jiyi_id zhujian key pk"
        ),
        "content": _words(
            "content text memory 内容 正文 文本 记忆 记忆内容 原文 neirong zhengwen wenben jiyi "
            "jiyi_neirong fact 事实 page_content document raw_text chunk passage body message sentence "
            "note nr data value"
        ),
        "embedding": _words("vector vec embedding emb embeddings 向量 嵌入 xiangliang"),
        "metadata": _words(
            "metadata meta metadata_str metadata_json meta_json 元数据 附加信息 扩展信息 扩展字段 扩展 "
            "yuanshuju kuozhan extra extras ext attributes attrs properties props payload info json"
        ),
        "created_at": _words(
            "created_at create_at created creation_time create_time created_time create_date created_date "
            "created_on created_ts ctime date_created gmt_create gmt_created 创建时间 建立时间 写入时间 "
            "录入时间 新增时间 chuangjian_shijian chuangjian_time cjsj add_time added_at insert_time "
            "inserted_at timestamp ts time 时间 event_time datetime date"
        ),
        "updated_at": _words(
            "updated_at update_at updated update_time updated_time update_date updated_on updated_ts "
            "utime mtime modified modified_at modify_time modified_time gmt_modified gmt_update "
            "last_modified last_updated date_updated 更新时间 修改时间 最后更新 变更时间 gengxin_shijian "
            "gxsj xiugai_shijian xgsj"
        ),
        "last_accessed_at": _words(
            "last_accessed_at last_accessed last_access last_access_at last_access_time accessed_at atime "
            "last_hit last_hit_at last_hit_time last_used last_used_at last_recall last_recalled_at "
            "last_read last_read_at last_seen 最后访问时间 最近访问时间 最近访问 最后命中时间 "
            "最近使用时间 访问时间 zuihou_fangwen_shijian zhfwsj"
        ),
        "last_verified_at": _words(
            "last_verified_at last_verified verified_at last_confirmed_at last_checked_at 核实时间 验证时间 确认时间"
        ),
        "source": _words(
            "source src origin source_type provenance came_from 来源 数据来源 来源类型 laiyuan shuju_laiyuan"
        ),
        "status": _words("status state memory_status 状态 记忆状态 zhuangtai zt"),
        "kind": _words(
            "kind memory_kind memory_type mem_type type category 类型 类别 分类 记忆类型 leixing leibie fenlei"
        ),
        "claim": _words("claim claims fact_json 断言"),
        "batch_id": _words("batch_id batch import_id import_batch job_id 批次 批次号 导入批次 pici pici_hao"),
        "duplicate_of": _words("duplicate_of dup_of duplicate_id merged_into canonical_id 重复于 合并到 chongfu_yu"),
        "superseded_by": _words(
            "superseded_by replaced_by supersededby superseded_by_id evolve_to 被替代 替代者 被取代"
        ),
        "related_ids": _words("related_ids related linked_ids linked_memory_ids links 关联 关联记忆 关联id guanlian"),
        "related_notes": _words("related_notes"),
    }
)
"""Field → names it goes by, best first."""

SCOPES: Final = _words(
    "scope scope_id namespace ns bank_id group_id archive_id space space_id partition 作用域 命名空间 范围 zuoyongyu"
)
"""Names of a column that says the whole scope."""
TENANTS: Final = _words(
    "tenant tenant_id org org_id organization organization_id organisation_id company company_id "
    "corp_id account account_id workspace workspace_id project project_id app_id 租户 租户id 公司 "
    "企业 项目 zuhu zuhu_id gongsi qiye xiangmu"
)
"""Names of the wider part of a composite scope."""
USERS: Final = _words(
    "user user_id uid username user_name member_id owner owner_id customer_id person_id openid "
    "open_id 用户 用户id 用户编号 会员id yonghu yonghu_id yhid"
)
"""Names of the narrower part of a composite scope."""
AGENTS: Final = _words("agent agent_id bot_id assistant_id character_id 智能体 智能体id 助手 助手id zhushou zhinengti")
"""Names of the agent whose memory it is."""

HIDDEN: Final = _words(
    "is_deleted deleted is_del del_flag delete_flag deleted_flag is_archived archived is_removed "
    "removed 已删除 是否删除 删除标记 删除标志 是否归档 已归档 shifou_shanchu sfsc shanchu_biaoji"
)
"""Flags: 1 says that the row is gone."""
SHOWN: Final = _words(
    "is_active active enabled is_enabled is_valid valid 是否有效 有效 是否启用 启用 shifou_youxiao sfyx"
)
"""Flags: 0 says that the row is gone."""
ENDED: Final = _words(
    "deleted_at archived_at invalidated_at delete_time archive_time 删除时间 归档时间 失效时间 shanchu_shijian scsj"
)
"""Times: a value says that the row is gone."""

VOLATILE: Final = frozenset(
    NAMES["last_accessed_at"]
    + _words(
        "hit_count hits hit_num access_count access_num accesses use_count used_count usage_count "
        "usage recall_count recall_num read_count view_count views retrieval_count retrieved_count "
        "injected_count last_injected_at last_retrieved_at last_retrieved last_confirmed_use_at "
        "bad_recall_count last_score 命中次数 访问次数 使用次数 召回次数 查看次数 阅读次数 "
        "mingzhong_cishu fangwen_cishu shiyong_cishu zhaohui_cishu mzcs fwcs"
    )
)
"""What a mere read changes."""

WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "active": _words(
            "active confirmed ok normal valid enabled live published current 正常 有效 启用 生效 已确认 "
            "活跃 zhengchang youxiao"
        ),
        "pending_review": _words(
            "pending_review pending review in_review disputed to_review unconfirmed 待审核 待确认 待审 "
            "待复核 有争议 daishenhe"
        ),
        "archived": _words(
            "archived archive deleted removed inactive disabled invalid obsolete superseded hidden 已归档 "
            "归档 已删除 删除 失效 无效 停用 作废 yiguidang yishanchu shixiao"
        ),
    }
)
"""Our status → words owners have for it."""
