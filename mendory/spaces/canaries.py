"""The sixteen texts by whose vectors a space is known. Never changed: every stored fingerprint is of exactly these."""

from __future__ import annotations

from typing import Final

CANARIES: Final[tuple[str, ...]] = (
    "Likes green tea in the morning, never coffee.",
    "喜欢在早上喝绿茶，从不喝咖啡。",
    "Order 1,024 units before 2025-03-01 at 3:00 pm.",
    "请在 2025 年 3 月 1 日下午三点前订购 1024 件。",
    "The meeting moved from Tuesday to Friday.",
    "他住在上海，在一家银行工作了十二年。",
    "No coriander, ever! 🌿",
    "明天 14:30 在 Building B 和 Anna 开会。",
    "v1.2.3 is deployed on port 8080, not on 8081.",
    "价格是 ¥1,299.50，比上个月便宜了百分之五。",
    "She is allergic to peanuts and carries an adrenaline pen.",
    "對花生過敏，隨身帶著腎上腺素筆。",
    "Ça va très bien, señor Müller.",
    "コーヒーは一日に三杯まで。",
    "No",
    "好",
)
"""English, Chinese (simplified and traditional), mixed, numbers, times, prices, an emoji, other scripts, one word."""
