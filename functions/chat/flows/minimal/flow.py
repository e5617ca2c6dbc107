"""One turn of one agent: streams a guarded answer, or says that there is none.

There is no crisis protocol here: the router gives messages of a user who may be in danger to the counselling, so a copy
is registered only together with it (CONTRIBUTING.md).
"""

from dataclasses import replace
from pathlib import Path
from typing import Generic

from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.contracts.events import Replace
from shared.domain.conversation import S
from shared.engine.agent import Speaker
from shared.engine.flow import Outcome, Turn
from shared.engine.memory import dialogue
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import speak
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.output_guard.situation import Situation
from shared.services.honesty import NOTICE_EVERY, notice_words
from shared.services.output_guard import AGENT, reply_guard


class ChatInput(Model):
    """Prompt variables."""

    summary: str


CHAT = Speaker(name="chat", prompt=Prompt(Path(__file__).parent / "prompts", "chat", 1, ChatInput))


class MinimalFlow(Generic[S]):
    def __init__(self, content: Content) -> None:
        self._content = content

    async def run(self, turn: Turn[S]) -> Outcome[S]:
        """Answer with an AI notice if one is due, then with the model's guarded reply."""
        prefix = ReplyPrefix(disclosure_due(turn, self._content), turn.scope.emit)
        scope = replace(turn.scope, emit=prefix.emit)
        guard = reply_guard(
            turn,
            turn.state,
            self._content.safe_endings,
            self._content.guard_rules,
            Situation(noticed=bool(prefix.text)),
        )
        given = ChatInput(summary=turn.state.summary_text)
        spoken = await speak(turn.runner, CHAT, given, dialogue(turn.state, turn.text), scope, guard)
        if spoken is None:
            return self._apologize(turn, prefix)
        flags = ["shortened"] if spoken.shortened else []
        if spoken.guarded.category is not None:
            turn.scope.ledger.ruled(AGENT, spoken.guarded.category.value, spoken.guarded.rule)
            flags.append("guarded")
        return Outcome(reply=prefix.before(spoken.text), flags=tuple(flags))

    def apologize(self, turn: Turn[S]) -> Outcome[S]:
        """Say that there is no answer, with the help lines: nobody has read the message."""
        return self._apologize(turn, ReplyPrefix(disclosure_due(turn, self._content), turn.scope.emit))

    def _apologize(self, turn: Turn[S], prefix: ReplyPrefix) -> Outcome[S]:
        voice = Voice(locale=turn.state.locale, register_=turn.state.register_)
        reply = prefix.before(self._content.crisis_replies.unread_reply(voice, nth(0)))
        turn.scope.emit(Replace(text=reply))
        return Outcome(reply=reply, flags=("degraded",))


def disclosure_due(turn: Turn[S], content: Content) -> str:
    """Return the disclosure that is due, or an empty text; one reminder for every three hours of a conversation.

    The service knows no ages, so every user is reminded to take a break.
    """
    state = turn.state
    messages = content.messages(state.locale, state.register_)
    if content.lexicon.read(turn.text).asks_if_human:
        return notice_words(messages, asked=True, take_a_break=False)
    before = state.recent[-1].created_at if state.recent else state.created_at
    passed = (turn.now - state.created_at) // NOTICE_EVERY
    if passed <= (before - state.created_at) // NOTICE_EVERY:
        return ""
    return notice_words(messages, asked=False, take_a_break=True)
