"""Answers of the user state detector."""

from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.feelings import Feeling, feeling_of
from local.gemini.counsellor.messages import danger_in, has
from local.gemini.counsellor.prompt import Prompt
from local.gemini.json_types import JsonObject

CIRCULAR = 0.72
"""Share of common syllable pairs from which two messages say the same."""
_LONG_ENOUGH = 6
_SHARP, _CLEAR = 3, 4
_PLEASANT = frozenset({"relief", "joy"})


def read_state(prompt: Prompt) -> JsonObject:
    """Read the newest message, conservatively."""
    text = prompt.text_of("newest_message")
    feeling, risk, resistance = feeling_of(text), danger_in(text), _resistance(text)
    evidence = next((one for one in sentences(text) if feeling.word and feeling.word in one), "")
    return {
        "risk": risk,
        "violence": "none",
        "by_family": False,
        "denies_danger": False,
        "resistance": resistance,
        "emotion": feeling.label,
        "intensity": feeling.intensity,
        "emotion_change": _change(prompt, feeling),
        "topic_changed": has("other_topic", text),
        "circular": _circular(prompt, text),
        "evidence": text if risk != "none" or resistance != "none" else evidence,
    }


def _change(prompt: Prompt, feeling: Feeling) -> str:
    """Compare the feeling with the newest earlier reading."""
    readings = prompt.tags("reading")
    if not readings or not feeling.intensity:
        return "none"
    before, label = int(readings[-1].attributes.get("intensity", "0")), readings[-1].attributes.get("emotion", "")
    if (label in _PLEASANT) is not (feeling.label in _PLEASANT) and before:
        return "eased" if feeling.label in _PLEASANT else "turned"
    if feeling.label in _PLEASANT:
        return "none"
    if feeling.intensity - before >= _SHARP and feeling.intensity >= _CLEAR:
        return "rise"
    return "eased" if before - feeling.intensity >= _SHARP else "none"


def _resistance(text: str) -> str:
    if has("refusal_strong", text):
        return "strong"
    return "mild" if has("refusal_mild", text) else "none"


def _circular(prompt: Prompt, text: str) -> bool:
    earlier = [line.text for line in prompt.dialogue if line.by_user][-2:]
    return len(earlier) == 2 and all(_alike(text, other) >= CIRCULAR for other in earlier)


def _alike(first: str, second: str) -> float:
    left, right = _pairs(first), _pairs(second)
    if min(len(left), len(right)) < _LONG_ENOUGH:
        return 0.0
    return 2 * len(left & right) / (len(left) + len(right))


def _pairs(text: str) -> set[str]:
    joined = "".join(character for character in text if character.isalnum())
    return {joined[place : place + 2] for place in range(len(joined) - 1)}
