"""What rows may differ in, as reasons name it, and what that is in Chinese."""

from __future__ import annotations

from typing import Final

DIFFERENCES: Final = {
    "polarity": "肯否",
    "number": "数字",
    "numbers": "数字",
    "unit": "单位",
    "date": "日期时间",
    "version": "版本",
    "name": "名称",
    "owner": "所属的人",
    "scene": "场景",
    "language": "语言",
    "time": "时间",
    "kind": "种类",
    "claim": "声明",
    "status": "状态",
    "scope": "范围",
    "letters": "字母写法",
    "lines": "分行",
    "unreadable": "有内容无法读取",
    "width": "全半角",
    "characters": "繁简",
    "case": "大小写",
    "outer": "首尾符号",
    "separators": "分隔符",
    "root": "缺少根",
}
"""What rows may differ in, by the name a reason has for it."""


def difference(name: str) -> str:
    """The difference in Chinese; a column or key of the owner's keeps its name."""
    if name.startswith("column "):
        return f"列 {name.removeprefix('column ')}"
    if name.startswith("metadata."):
        return f"元数据 {name.removeprefix('metadata.')}"
    return DIFFERENCES.get(name, name)
