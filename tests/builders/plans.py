"""Proposals of a planner's model; all fields have valid defaults."""

from functions.planner.proposal import KeywordRating, PlanProposal, SlotProposal, TaskProposal

SAID = (
    "발표만 앞두면 밤을 새워서 고치고 또 고쳐요",
    "남들은 괜찮다는데 저는 늘 모자란 것 같아요",
    "완벽주의라는 말을 많이 들어요",
)
"""What a user of Type A says in Part 1."""
KEYWORDS = ("완벽주의", "자기 비판", "스트레스 관리", "목표 설정", "감정 인식", "자기 이해", "대인 관계", "자기 돌봄")
"""The keywords of Type A."""
QUOTES = {"완벽주의": SAID[0], "자기 비판": "늘 모자란 것 같아요"}


def rating(keyword: str, relevance: float = 0, quote: str = "") -> KeywordRating:
    return KeywordRating(keyword=keyword, relevance=relevance, quote=quote)


def ratings() -> tuple[KeywordRating, ...]:
    """Rate all eight: two with the user's words, the others as not in the story."""
    return tuple(rating(word, 9 if word in QUOTES else 1, QUOTES.get(word, "")) for word in KEYWORDS)


def wording(title: str, **more: object) -> TaskProposal:
    return TaskProposal.model_validate({
        "kind": "emotion", "priority": "high", "module_id": "empathy_expression", "title": title,
        "description": "듣기", "target": "감정 알기", "completion_criteria": "감정을 말했을 때",
        "restrictions": "해결책을 제시하지 않는다.", "slots": (), **more,
    })  # fmt: skip


def slot_wording(name: str = "since_when", **more: object) -> SlotProposal:
    return SlotProposal.model_validate(
        {"name": name, "kind": "text", "label": "시작된 때", "questions": ("언제부터 그러셨어요?",)}
        | {"choices": (), "minimum": None, "maximum": None}
        | more
    )


def proposal(*titles: str, **more: object) -> PlanProposal:
    return PlanProposal.model_validate(
        {"ratings": ratings(), "goal": "발표 앞의 마음을 함께 살펴본다"}
        | {"tasks": tuple(wording(title) for title in titles or ("하나", "둘", "셋"))}
        | more
    )
