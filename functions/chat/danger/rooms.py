"""What a turn asks of danger, in the order of its rooms; rules, the reader's word, the protocol and the safety plan."""

from collections.abc import Iterable

from functions.chat.danger import safety_gate
from functions.chat.danger.danger_in_context import inquired, split_message_risk
from functions.chat.danger.denial import believe_denial
from functions.chat.danger.help_seeking import Care, guided, hear, next_inquiry
from functions.chat.danger.kept_plan import SafetyPlans, opened_plan, own_words
from functions.chat.danger.output_guard import guard_of, guarded_findings
from functions.chat.danger.plan_steps import names_warning_sign
from functions.chat.danger.risk_detection import concern_from_hints, detect_risk, may_be_danger
from functions.chat.danger.safety_plan import ask_to_keep, hear_plan, take_step
from functions.chat.findings import Findings, FixedReply, Reply, after
from functions.chat.legacy.asked_before import fixed_openings, picking, unheard
from functions.chat.legacy.harm_done import answer_harm_done
from functions.chat.legacy.user_message import UserMessage
from functions.chat.reading import AGENT as READER
from functions.chat.reading import READER as READER_AGENT
from functions.chat.reading import DangerKind, Heard, reader_input, said_in, trust, unquoted
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.content.conditions import Effect
from shared.content.crisis_protocol import AT_HAND
from shared.domain.conversation import Role
from shared.domain.counseling.questions_said import QuestionsSaid, digest
from shared.domain.counseling.risk_events import RiskRaised, RiskWatched
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold, RepeatAsked, ReplyDegraded
from shared.domain.counseling.task_events import WordsSetAside
from shared.engine.flow import Turn
from shared.engine.reply_prefix import BETWEEN
from shared.lexicon.asking import asks_of
from shared.lexicon.words import Answer
from shared.prompts.catalogue import I, Prompt
from shared.safety.abuse import AbuseFinding, AbuseKind
from shared.safety.crisis import Finding
from shared.safety.follow_through import needs_now, resources_due
from shared.safety.help_seeking import Inquiry
from shared.safety.levels import CrisisOutcome, RiskLevel, most_pressing
from shared.safety.needs import Need, union
from shared.safety.output_guard.guard import Guarded, OutputGuard
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import Reassurance

SECOND_OPINION = "model"
"""Rule id of a risk that the reader found."""
ASKED_LATELY = 3
"""Turns after the direct question in which a mere concern of the reader does not bring it again."""
DEGRADED = "degraded"
_OWN = {
    DangerKind.OWN_CONCERN: RiskLevel.CONCERN,
    DangerKind.OWN_CRISIS: RiskLevel.CRISIS,
    DangerKind.OWN_IMMINENT: RiskLevel.IMMINENT,
}
_OUTCOME = {
    RiskLevel.CONCERN: CrisisOutcome.CONCERN,
    RiskLevel.CRISIS: CrisisOutcome.CRISIS,
    RiskLevel.IMMINENT: CrisisOutcome.IMMINENT,
}
_OTHERS = {
    DangerKind.OTHER_CRISIS: CrisisOutcome.THIRD_PARTY,
    DangerKind.OTHER_IMMINENT: CrisisOutcome.THIRD_PARTY_NOW,
    DangerKind.HARM_CRISIS: CrisisOutcome.HARM_TO_OTHERS,
    DangerKind.HARM_IMMINENT: CrisisOutcome.HARM_TO_OTHERS,
}
_VIOLENCE = {
    DangerKind.VIOLENCE_PAST: CrisisOutcome.ABUSE_TOLD,
    DangerKind.VIOLENCE_ONGOING: CrisisOutcome.ABUSE,
    DangerKind.VIOLENCE_NOW: CrisisOutcome.ABUSE_NOW,
}


class Danger:
    """Danger in one turn.

    Args:
        turn: The turn.
        content: The rules and all fixed words.
        plans: The kept safety plans.
    """

    def __init__(self, turn: Turn[Session], content: Content, plans: SafetyPlans) -> None:
        self._turn = turn
        self._content = content
        self._plans = plans
        self._message = UserMessage(turn, content)

    # What the message tells

    def by_rule(self) -> Findings:
        """Return what the rules find in the message: danger, words of safety, circumstances, a stated age."""
        turn, message, content = self._turn, self._message, self._content
        found = detect_risk(turn, message, content)
        found += self._set_aside(after(turn.state, found.events, turn.now))
        found += self._correction(after(turn.state, found.events, turn.now))
        return found + hear(turn, message, after(turn.state, found.events, turn.now), found, content)

    def by_reader(self, session: Session, heard: Heard) -> tuple[Findings, RiskLevel]:
        """Return what the reader's danger adds to what is known, and the level of the user's own that it reads.

        In a follow-through it can only raise the level above the known one: it would otherwise find the known danger in
        every turn, and the follow-through would never end. What a model had read before is asked about, once.
        """
        turn = self._turn
        told = {kind: quote for kind, quote in heard.danger.items() if not quote or said_in(quote, self._unread_words)}
        most = self._most_believed(session)
        level = max((_OWN[kind] for kind in told if kind in _OWN), default=RiskLevel.NONE)
        level = min(level, most)
        never_known = turn.state.risk.last_seq is None and turn.state.risk.asked_seq is None
        if level is RiskLevel.NONE and never_known and not _OWN.keys().isdisjoint(heard.danger):
            level = RiskLevel.CONCERN
        asked = session.risk.asked_seq is not None and turn.seq - session.risk.asked_seq <= ASKED_LATELY
        # The direct question was answered, or is open: only evading it brings it once more.
        again = level is RiskLevel.CONCERN and (asked or Effect.BELIEVE in heard.effects)
        events = []
        if level > self._known(turn.state) and not again:
            doubt = level is RiskLevel.CONCERN
            outcome = _OUTCOME[level]
            events.append(RiskRaised(outcome=outcome, rule_ids=(SECOND_OPINION,), seq=turn.seq, by_words=doubt))
        if most is RiskLevel.IMMINENT:
            new = {_OTHERS[kind] for kind in told if kind in _OTHERS} - set(session.risk.found)
            worst = most_pressing(*new) if new else CrisisOutcome.NONE
            if worst is not CrisisOutcome.NONE:
                events.append(RiskRaised(outcome=worst, rule_ids=(SECOND_OPINION,), seq=turn.seq))
        if violence := self._violence(session, heard, tuple(told), most):
            events.append(violence)
        return Findings(events=tuple(events)), level

    def unread(self, session: Session) -> Findings:
        """Return a concern for weak signs in a message that no model could read."""
        return concern_from_hints(self._turn, self._message, session, self._content)

    @property
    def may_be(self) -> bool:
        """Whether the message has weak signs of danger, which a model must judge."""
        return may_be_danger(self._message, self._turn.state, self._content)

    @property
    def asked_if_urgent(self) -> bool:
        """Whether the message answers a failed reply, which asked whether the user needs help at once."""
        return self._message.answers_if_urgent

    def evades(self, found: Findings) -> bool:
        """Return whether the message evades the direct question of the newest reply; it is asked once more only.

        Every message evades it that says no word about it and does not refuse; a yes is a crisis and is not heard here.
        """
        message, content, risk = self._message, self._content, self._turn.state.risk
        asked = risk.outcome is CrisisOutcome.CONCERN and risk.last_seq == risk.asked_seq == self._turn.state.seq
        if not asked or not message.answers:
            return False
        words, said = message.words, message.screened
        denies = content.crisis_answers.denies(said) and (words.answer is Answer.CANCEL or not words.is_backchannel)
        explains = content.help_seeking.speaks_to(Topic.INTENT, said.readings)
        refuses = message.refuses or words.asks_to_end or content.help_seeking.refuses_answer(said.readings)
        safe = any(event.said for event in found.of(RiskWatched))
        return not (refuses or safe or ((denies or explains) and not words.hesitates))

    def agrees_to_leave(self, session: Session) -> bool:
        """Return whether the message is a plain yes, which alone ends a follow-through or a talk under 14."""
        message = self._message
        followed = session.risk.follow_through or session.under_14
        return followed and message.words.answer is Answer.CONFIRM and not message.wants_more

    @property
    def asks_what_it_is(self) -> bool:
        """Whether the user asks, in plain words, whether a person speaks: for a reply that waits for no reading."""
        return self._message.words.asks_if_human

    def keeps(self) -> bool:
        """Return whether the user is or may be in danger, or under 14: no other service answers by itself."""
        turn, screened = self._turn, self._message.screened
        if turn.state.in_danger or turn.state.under_14:
            return True
        signs = screened.outcome is not CrisisOutcome.NONE or bool(screened.crisis.hints) or screened.age is not None
        return signs or bool(split_message_risk(turn, self._message, self._content))

    # What answers it

    async def protocol(self, session: Session, found: Findings) -> FixedReply | None:
        """Return the protocol's reply to a danger found in this turn; None if there is none."""
        outcome = safety_gate.needs_protocol(found)
        if outcome is None:
            return None
        plan, looked_up = await opened_plan(self._turn, session, outcome, self._plans, self._content)
        session = after(session, looked_up.events, self._turn.now)
        answer = safety_gate.answer(self._turn, self._message, session, found + looked_up, self._content, plan)
        return FixedReply(answer.text, answer.reason, looked_up + answer.found)

    async def without_a_model(self, session: Session, found: Findings) -> FixedReply | Findings:
        """Return the fixed reply that is due before any model is asked, or what the message does to a safety plan."""
        turn, message, content = self._turn, self._message, self._content
        concerned = safety_gate.concerned(found)
        if safety_gate.asks_to_leave(message, session, concerned=concerned):
            return self.ask_whether_to_leave(session)
        if session.under_14:
            return safety_gate.answer_under_14(turn, message, session, found, content)
        if safety_gate.needs_help_now(found):
            now = safety_gate.fixed_safety_reply(turn, message, session, found, content)
            if now is not None:
                return FixedReply(now.text, "the user needs help at once", now.found)
        if self.may_be:
            return Findings()
        if not concerned and (harm := answer_harm_done(turn, message, session, content)):
            return harm
        return await hear_plan(turn, message, session, found, self._plans, content)

    def ask_whether_to_leave(self, session: Session) -> FixedReply:
        """Ask a user in a follow-through who wants to stop whether to end, with the lines."""
        return safety_gate.ask_whether_to_leave(self._turn, session, self._content)

    async def believed(self, session: Session, found: Findings) -> FixedReply | Findings:
        """Return the reply to a plain denial of what rules alone had found, or what the message means later."""
        return await believe_denial(self._turn, self._message, session, found, self._content, self._none_meant)

    def plan_step(self, session: Session, found: Findings) -> Findings:
        """Return what the message gives of the safety plan's step that was asked for."""
        return take_step(self._turn, self._message, session, found, self._content)

    def finished_plan(self, session: Session, found: Findings) -> FixedReply | Findings:
        """Return the question whether to keep the plan that this turn finished."""
        return ask_to_keep(self._turn, session, found, self._content)

    def concerned(self, found: Findings) -> bool:
        """Return whether this turn found a concern or worse."""
        return safety_gate.concerned(found)

    def left(self, session: Session) -> Findings:
        """Return the record of an end in a follow-through."""
        return safety_gate.exit_findings(self._turn, session)

    # The Counselor's reply

    def due(self, session: Session, found: Findings) -> Inquiry | None:
        """Return what is still to be asked of a user whose life is in danger."""
        return next_inquiry(self._turn, self._message, session, found, self._content)

    def guard(self, session: Session, prompt: Prompt[I], *, noticed: bool) -> OutputGuard:
        return guard_of(self._turn, self._message, session, self._content, prompt, noticed=noticed)

    def guarded(self, guarded: Guarded) -> Findings:
        return guarded_findings(self._turn, guarded)

    def followed_through(self, spoken: str, session: Session, found: Findings) -> Reply:
        """Return the Counselor's words in a follow-through with the step and the question that are due."""
        care = Care(spoken, of_a_model=True)
        return guided(self._turn, self._message, session, found, care, self._content)

    def asks_directly(self, spoken: str) -> bool:
        """Return whether a reply asks whether the user wants to die."""
        return self._content.crisis_answers.asks_directly(spoken)

    def lines(self, session: Session, *, failed: bool = False) -> str:
        """Return the help lines if they are due: every third turn of a follow-through, or if the user asks for them.

        A reply of which something `failed` has them too, always with the line for dying and the ambulance.
        """
        answers, message = self._content.crisis_answers, self._message
        before = self._turn.state
        skipped = message.answers and message.skips and (before.risk.asked_seq == before.seq or inquired(before))
        wanted = failed or skipped or resources_due(session.risk) or answers.asks_resources(message.screened)
        if not wanted:
            return ""
        needs = union(needs_now(session.risk), AT_HAND if failed else ())
        return self._content.crisis_replies.resource_block(voice_of(session), needs)

    def with_lines(self, text: str, lines: str, spoken: str, session: Session) -> str:
        """Return a reply with the lines behind it; who asks for them in a danger gets them before code's question."""
        asks = self._content.crisis_answers.asks_resources(self._message.screened)
        wanted = session.risk.level is not RiskLevel.NONE and asks
        question = " ".join(asks_of(text)[-1:])
        at = text.rfind(question) if question else -1  # What explains the question stays behind it.
        if not (lines and wanted) or at < text.find(spoken) + len(spoken):
            return BETWEEN.join(filter(None, (text, lines)))
        return BETWEEN.join(filter(None, (text[:at].strip(), lines, text[at:])))

    def said(self, reply: str, session: Session) -> Findings:
        """Return that a reply asked and said what it did, so that fixed sentences vary."""
        said = (*asks_of(reply), *fixed_openings(reply, session, self._content))
        return Findings(events=(QuestionsSaid(digests=tuple(map(digest, said))),)) if said else Findings()

    # Without the Counselor

    def fallback(self, session: Session, found: Findings) -> Reply | None:
        """Return the fixed safety reply if no model spoke and one is due: to a concern, or in a follow-through."""
        turn, message, content = self._turn, self._message, self._content
        care = safety_gate.fixed_safety_reply(turn, message, session, found, content)
        if care is None:
            return None
        cared = after(session, care.found.events, turn.now)
        lines = self.lines(cared, failed=session.risk.follow_through)
        degraded = Findings(events=(ReplyDegraded(),), flags=(DEGRADED,))
        return Reply("\n\n".join(filter(None, (care.text, lines))), care.found + degraded)

    def unread_lines(self, session: Session) -> str:
        """Return the lines that stand before another service's answer to a message that no model could read."""
        wordings = self._content.crisis_replies.unread(voice_of(session), session.risk.needs)
        return unheard(wordings, session, self._turn.seq)

    def unread_reply(self, session: Session) -> Reply:
        """Return the reply, with the lines, to a message that no model read, or while a risk is or was open."""
        needs, replies = session.risk.needs, self._content.crisis_replies
        pick = picking(session, session.degraded_replies)
        text = replies.unread_reply(voice_of(session), pick, needs, urgent=Need.EMERGENCY in needs)
        events = (ReplyDegraded(), RepeatAsked(seq=self._turn.seq))
        return Reply(text, Findings(events=events, flags=(DEGRADED,)))

    def without_any_model(self, session: Session, found: Findings) -> FixedReply | None:
        """Return the protocol's reply, or that to a child under 14, without a model and without looking anything up."""
        turn, message, content = self._turn, self._message, self._content
        if outcome := safety_gate.needs_protocol(found):
            plan = "" if session.under_14 else own_words(session, outcome, {}, content)
            return safety_gate.answer(turn, message, session, found, content, plan)
        if session.under_14:
            return safety_gate.answer_under_14(turn, message, session, found, content)
        return None

    # Private

    async def _none_meant(self, session: Session, text: str) -> bool:
        """Return whether the reader finds no danger to the user's own life in an earlier message."""
        turn = self._turn
        if turn.scope.ledger.failed(READER):
            return False
        given = reader_input(session, text, self._content.modules(session.locale))
        reading = await turn.runner.ask(READER_AGENT, given, turn.scope, unquoted(given))
        trusted = READER not in turn.scope.ledger.uncatalogued and not turn.scope.ledger.failed(READER)
        return trusted and not any(kind in _OWN for kind in trust(reading, given).danger)

    @property
    def _unread_words(self) -> Iterable[str]:
        """The message, and the user's earlier ones since the last that a model has read."""
        state = self._turn.state
        read = max((one.seq for one in state.readings if not one.unread), default=0)
        earlier = (one.text for one in state.recent if one.role is Role.USER and one.seq > read)
        return (*earlier, self._turn.text)

    def _known(self, before: Session) -> RiskLevel:
        """Return the risk that is known without the reader: what is followed through or a warning sign names."""
        if names_warning_sign(self._message, before, self._content):
            return RiskLevel.CRISIS
        return before.risk.level if before.risk.follow_through else RiskLevel.NONE

    def _most_believed(self, session: Session) -> RiskLevel:
        """Return the highest level that the reader's word counts for.

        A model that the catalogue does not name may call a greeting imminent: where no rule spoke, no weak sign stands
        in the message and no danger is followed through, what it finds is a concern, which is asked about.
        """
        turn, screened = self._turn, self._message.screened
        silent = screened.crisis == Finding() and screened.abuse.outcome is CrisisOutcome.NONE
        silent = silent and session.risk.last_seq != turn.seq and not session.risk.follow_through
        return RiskLevel.CONCERN if silent and READER in turn.scope.ledger.uncatalogued else RiskLevel.IMMINENT

    def _violence(
        self, session: Session, heard: Heard, told: tuple[DangerKind, ...], most: RiskLevel
    ) -> RiskRaised | None:
        """Return violence against the user; what is known as near is told again, without the protocol."""
        outcome = most_pressing(*(_VIOLENCE[kind] for kind in told if kind in _VIOLENCE))
        by_rule = self._message.screened.abuse.outcome
        known = most_pressing(by_rule, *(one for one in session.risk.found if one in _VIOLENCE.values()))
        if most is RiskLevel.CONCERN or outcome.severity <= known.severity:
            outcome = min(outcome, CrisisOutcome.ABUSE_TOLD, key=lambda one: one.severity)
        if outcome is CrisisOutcome.NONE or outcome is by_rule:
            return None
        by_whom = tuple(dict.fromkeys((*self._message.screened.abuse.kinds, *session.risk.hurt_by)))
        # The reading does not say who it is, and who is hurt by a partner is not sent to the family.
        kinds = by_whom if by_whom and Effect.BE_DISCREET not in heard.effects else (AbuseKind.DOMESTIC,)
        needs = AbuseFinding(kinds=by_whom or (AbuseKind.OTHER,)).needs
        rules = (SECOND_OPINION,)
        return RiskRaised(outcome=outcome, rule_ids=rules, seq=self._turn.seq, kinds=kinds, needs=needs)

    def _correction(self, session: Session) -> Findings:
        """Return that the user says in a follow-through that they were misread; without a model it is heard, too."""
        turn, message = self._turn, self._message
        proposal = turn.state.wrap_up
        answers = message.answers and (proposal is None or proposal.seq != turn.state.seq)
        followed = turn.state.risk.follow_through and session.risk.follow_through
        if not (answers and followed and (message.corrects or message.speaks_of_a_work)):
            return Findings()
        return Findings(events=(MisreadTold(seq=turn.seq, of_a_work=message.speaks_of_a_work),))

    def _set_aside(self, session: Session) -> Findings:
        """Return that the message is about a danger: told now, followed through until now, or answered."""
        turn, message = self._turn, self._message
        before, now = turn.state.risk, session.risk
        told = now.level is not RiskLevel.NONE and now.last_seq == turn.seq
        newest = before.level is not RiskLevel.NONE and before.last_seq == turn.state.seq
        asked = before.asked_seq is not None and before.asked_seq == turn.state.seq
        known = before.level is not RiskLevel.NONE or before.hurt_by or before.over_seq is not None or asked
        safe = set(self._content.crisis_answers.reassurances(message.screened)) - {Reassurance.SUPPORT}
        if told or before.follow_through or before.attended or newest or asked or (known and safe):
            return Findings(events=(WordsSetAside(seq=turn.seq, danger=True),))
        return Findings()
