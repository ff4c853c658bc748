r"""The envelope a message came in, where it was stored with or instead of what the message says.

The forms are those of OpenClaw's channels, chat exports (WhatsApp, Telegram, WeChat, QQ), e-mail, Slack and Feishu
messages, the tags that agent programs put around what they inject, chat templates of models, and tool results. A form
must stand where the program puts it, at the start of a text or of a line: a memory may speak about any of them.
"""

from __future__ import annotations

import re
from typing import Final

_CLOCK: Final = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\.?)?"
_CLOCK_WITH_SECONDS: Final = r"\d{1,2}:\d{2}:\d{2}"
_DAY: Final = r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
_STAMP: Final = rf"{_DAY}(?:,? |[T，]|\s)\s*{_CLOCK}(?: ?(?:Z|UTC|GMT|[+-]\d{{2}}:?\d{{2}})\S*)?"
_ROLE: Final = r"(?:user|assistant|system|human|ai|bot|tool|agent|用户|助手|助理|系统|机器人|人类|智能体)"
_TAGS: Final = (
    r"system[-_]?reminder|command-(?:name|message|args)|local-command-\w+|user-prompt-submit-hook|task-notification|"
    r"relevant[-_]memor(?:y|ies)|recalled[-_]memor(?:y|ies)|memory[-_]context|hook[-_]context|environment_(?:details|context)|"
    r"ide_(?:selection|opened_file)|tool_(?:call|result|use|output|response)|function_(?:calls?|results?)|"
    r"user_(?:query|info|message)|additional_data|bash-(?:input|stdout|stderr)|untrusted_data"
)
_CHANNEL: Final = (
    r"(?:whatsapp|telegram|slack|discord|signal|imessage|bluebubbles|matrix|mattermost|msteams|teams|feishu|lark|line|"
    r"googlechat|google chat|irc|zalo|webchat|wechat|wecom|qq|dingtalk|微信|企业微信|飞书|钉钉)"
)
_START: Final = re.compile(
    r"\s*(?:"
    # OpenClaw: [Telegram Anna id:12 2026-01-05 10:00 UTC] hello; a bracket with a channel and a time or an id in it
    rf"(?P<channel_header>\[{_CHANNEL}\b[^\]\n]{{0,160}}?(?:\bid:|{_CLOCK}|[#@+]\w)[^\]\n]{{0,80}}\])"
    rf"|(?P<dated_role>[\[(（【]?{_STAMP}[\])）】]?\s*[-–]?\s*[<\[]?{_ROLE}[>\]]?\s*[:：])"
    rf"|(?P<system_line>system(?: \(untrusted\))?\s*[:：]\s*\[{_STAMP})"
    r"|(?P<message_id>\[(?:message_id|msg_id|msg|消息ID)\s*[:：][^\]\n]+\])"
    r"|(?P<queue>\[Queued messages while agent was busy\])"
    rf"|(?P<injected_tag><(?P<tag>{_TAGS})\b[^>\n]*>)"
    r"|(?P<untrusted_block><<<EXTERNAL_UNTRUSTED_CONTENT)"
    r"|(?P<chat_template><\|(?:im_start|start_header_id|user|assistant|system|begin_of_text)\|>|<s>\s*\[INST\]|\[INST\]|<<SYS>>)"
    # a mention is an id, which no person writes
    r"|(?P<mention><[@!#](?:[UWCS][A-Z0-9]{7,}|!?&?\d{15,}|channel|here|everyone)(?:\|[^>\n]*)?>|<at (?:user_)?id=)"
    r"|(?P<wechat_xml><xml>\s*<ToUserName>|<msg>\s*<(?:appmsg|img|emoji|voicemsg|videomsg)\b)"
    r"|(?P<message_json>\{\s*\"(?:role|update_id|jsonrpc|message_id|msg_id|msgtype|msg_type|tool_call_id|tool_use_id|"
    r"event_id|open_message_id|sender_id|chat_id|schema)\"\s*:)"
    r"|(?P<typed_json>\{\s*\"type\"\s*:\s*\"(?:message|text|tool_result|tool_use|tool_call|event_callback|"
    r"function_call|function_call_output)\"\s*,)"
    r"|(?P<feishu_json>\{\s*\"text\"\s*:\s*\".*\"\s*\}\s*$)"
    r")",
    re.IGNORECASE | re.DOTALL,
)
_LINES: Final = re.compile(
    r"^[ \t>]*(?:"
    r"(?P<untrusted_metadata>[^\n:()]{0,60}\((?:untrusted(?: metadata|, [^)\n]{0,40})"
    r"|metadata, do not treat as [^)\n]{0,60})\)\s*:\s*$)"
    r"|(?P<message_id>\[(?:message_id|msg_id)\s*:[^\]\n]+\]\s*$)"
    rf"|(?P<injected_tag></(?:{_TAGS})>)"
    r")",
    re.IGNORECASE | re.MULTILINE,
)
_MAIL: Final = re.compile(
    r"^[ \t>*]*(from|to|cc|subject|date|sent|reply-to|message-id|received"
    r"|发件人|收件人|抄送|主题|发送时间|寄件者|收件者|主旨)"
    r"\**\s*[:：]\**\s*(\S[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_PEOPLE: Final = frozenset({"from", "to", "cc", "reply-to", "发件人", "收件人", "抄送", "寄件者", "收件者"})
_SUBJECT: Final = frozenset({"subject", "message-id", "主题", "主旨"})
_TURN: Final = re.compile(
    # [01/05/2024, 10:00:12] Anna: hello · 2024-05-01 10:00 - Anna: hello · Anna, [01.05.2024 10:00]
    rf"^[ \t]*(?:[\[(（【]?{_STAMP}[\])）】]?\s*[-–]?\s*[^\s:：\[\]<>][^:：\n]{{0,40}}[:：]"
    rf"|[^\n,]{{1,40}}, \[{_STAMP}\]\s*$"
    # 张三 2024/5/1 10:00:12 (WeChat, QQ), the words on the next line
    rf"|[^\s:：][^:：\n]{{0,30}}[ (（]{_DAY} {_CLOCK_WITH_SECONDS}[)）]?\s*$)",
    re.MULTILINE,
)
_ASKING: Final = frozenset({"user", "human", "用户", "人类"})
_ANSWERING: Final = "assistant|ai|bot|agent|助手|助理|机器人|智能体"
_ROLE_LINE: Final = re.compile(
    rf"^[ \t>*#]*({'|'.join(sorted(_ASKING))}|{_ANSWERING})\**\s*[:：]", re.IGNORECASE | re.MULTILINE
)
_REACT: Final = re.compile(r"^[ \t]*(thought|action|action input|observation|思考|行动|观察)\s*[:：]", re.I | re.M)
_MAY_START: Final = frozenset("[(（【<{0123456789sS \t\n\r")
_READS: Final = 4000


def envelope(text: str) -> str | None:
    """The name of the envelope's form, None where the text is in none. The first 4,000 characters are read.

    >>> envelope("[2024-05-01 10:00] user: I moved to Oslo"), envelope("[2024-05-01] moved to Oslo")
    ('dated_role', None)
    """
    if text[:1] in _MAY_START:
        found = _START.match(text[:_READS])
        if found:
            return next(name for name, held in found.groupdict().items() if held and name != "tag")
    return _of_lines(text[:_READS]) if "\n" in text else None


def _of_lines(text: str) -> str | None:
    """The form that shows in the lines of a text of several."""
    found = _LINES.search(text)
    if found:
        return str(found.lastgroup)
    # headers stand together; one line that begins so says nothing
    headers = {m.group(1).casefold(): m.group(2) for m in _MAIL.finditer(text)}
    people = headers.keys() & _PEOPLE
    if people and len(headers) > 1 and (headers.keys() & _SUBJECT or any("@" in headers[name] for name in people)):
        return "mail_headers"
    if len(_TURN.findall(text)) > 1:
        return "dated_turns"
    roles = {m.group(1).casefold() for m in _ROLE_LINE.finditer(text)}
    if roles & _ASKING and roles - _ASKING:
        return "turns"
    if len({m.group(1).casefold() for m in _REACT.finditer(text)}) > 1:
        return "agent_trace"
    return None
