"""The counsellor's reply: a reflection, then the question of the moment."""

from collections.abc import Sequence

from local.gemini.counsellor.brief import TELLING, Brief
from local.gemini.counsellor.messages import has, is_a, is_small_talk
from local.gemini.counsellor.opening import confirms, opening, proposed
from local.gemini.counsellor.questions import asked_for, invitation, open_question
from local.gemini.counsellor.reflection import reflect
from local.gemini.counsellor.stances import gathered, say, say_anew
from local.gemini.counsellor.voice import Speaker
from shared.prompts.data import decoded

_HEARD = {"care_safe": "told_safety", "care_alone": "told_company", "care_near": "told_near"}


def reply(brief: Brief, seed: int, earlier: Sequence[str] = ()) -> str:
    """Return the reply; `earlier` are replies that the prompt's window may not show."""
    salt = f"{seed}|{len(brief.replies)}|{brief.text}"
    speaker = Speaker(brief.voice, salt, (*earlier, *brief.replies))
    return " ".join(part for part in _sentences(brief, speaker) if part)


def _sentences(brief: Brief, speaker: Speaker) -> list[str]:
    return _before_all_else(brief, speaker) or _by_stance(brief, speaker)


def _before_all_else(brief: Brief, speaker: Speaker) -> list[str]:
    """Ask for a booking, or stay with a danger, which code asks about, with any stance."""
    if question := brief.prompt.tags("question"):
        told = (*brief.prompt.tags("problem"), *brief.prompt.tags("fact"), question[0])
        return [decoded(tag.text) for tag in told]
    return [say("stay_concern", speaker)] if brief.prompt.notice("concern") else []


def _by_stance(brief: Brief, speaker: Speaker) -> list[str]:
    match brief.stance:
        case "work":
            return _work(brief, speaker)
        case "bridge" | "gather":
            return _bridge(brief, speaker)
        case "propose_wrap_up":
            return [*_short_word(brief, speaker), gathered("today", brief, speaker)]
        case "confirm_end":
            return _before_the_end(brief, speaker) or [say("thanks", speaker)]
        case "care":
            return _care(brief, speaker)
        case "":
            return [say("chat", speaker)]
        case _:
            return _accompany(brief, speaker)


def _work(brief: Brief, speaker: Speaker) -> list[str]:
    if has("refusal_strong", brief.text):
        return [say("refusal_strong", speaker), say("hold", speaker)]
    task = brief.task.split(" ", 1)[0]
    if task.startswith("task_summary") and not brief.prompt.text_of("ask"):
        return _gather_today(brief, speaker)
    if has("end_wish", brief.text):
        return [say("end_wish", speaker)]
    begun = opening(brief, speaker)
    if brief.prompt.notice("part_changed") and brief.told:
        begun = [*begun[:1], say("moved_on", speaker, first=brief.told[0])]
    asked = asked_for(brief, speaker)
    if asked:
        return [*begun, *asked]
    if task.startswith("task_next"):
        return [*begun[:1], say("next_session", speaker), say("next_question", speaker)]
    if task.startswith("task_questions"):
        return [*begun, say_anew("further_questions", speaker) or invitation(speaker)]
    return begun if brief.name_denied else [*begun, open_question(brief, speaker)]


def _gather_today(brief: Brief, speaker: Speaker) -> list[str]:
    """Summarise the session, but not again after a yes to it."""
    if confirms(brief):
        return [*opening(brief, speaker), say_anew("add", speaker) or invitation(speaker)]
    return _bridge(brief, speaker, kind="today")


def _bridge(brief: Brief, speaker: Speaker, kind: str = "bridge") -> list[str]:
    """Summarise once; then respond to additions."""
    if kind == "bridge" and proposed(brief) and has("agrees", brief.text):
        return [say("to_closing", speaker), say_anew("remains", speaker) or invitation(speaker)]
    summary = gathered(kind, brief, speaker)
    recent = brief.replies[-1:] if kind == "today" else brief.replies[-4:]
    repeats = bool(brief.told) and any(all(quote in one for quote in brief.told) for one in recent)
    if repeats or (not brief.told and speaker.used(summary)):
        return [*opening(brief, speaker), say_anew("add", speaker) or invitation(speaker)]
    return [*_short_word(brief, speaker), summary, say_anew("check", speaker) or invitation(speaker)]


def _short_word(brief: Brief, speaker: Speaker) -> list[str]:
    """Respond briefly to the newest message before a summary that contains it."""
    if brief.gist.said and brief.gist.said in brief.told:
        return []
    if is_small_talk(brief.text) or is_a("dont_know", brief.text) or brief.answered_slot:
        return opening(brief, speaker)[-1:]
    return reflect(brief, speaker, brief_only=True)[:1]


def _before_the_end(brief: Brief, speaker: Speaker) -> list[str]:
    if is_a("thanks", brief.text):
        return [say("thanks", speaker)]
    if any(has(kind, brief.text) for kind in ("end", "said_all")) or brief.gist.weight < TELLING:
        return []
    return reflect(brief, speaker, brief_only=True)[:1]


def _accompany(brief: Brief, speaker: Speaker) -> list[str]:
    if has("refusal_strong", brief.text):
        return [say("refusal_strong", speaker), say("hold", speaker)]
    if has("end_wish", brief.text):
        return [say("end_wish", speaker)]
    begun = opening(brief, speaker)
    return [*begun, open_question(brief, speaker)]


def _care(brief: Brief, speaker: Speaker) -> list[str]:
    """Stay with the user, then ask what is unknown: safe, alone, who could come."""
    safe = has("safe", brief.text) and not has("unsafe", brief.text)
    kind = "stay_safe" if safe else "stay_sorry" if has("refusal_strong", brief.text) else "stay"
    words = [say(kind, speaker)]
    if kind == "stay_sorry":
        return words
    heard = " ".join((*brief.earlier[-3:], brief.text))
    asks = [pool for pool in ("care_safe", "care_alone", "care_near") if not has(_HEARD[pool], heard)]
    question = next((said for pool in asks if (said := say_anew(pool, speaker))), "")
    return [*words, question or invitation(speaker)]
