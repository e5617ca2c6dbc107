"""Patterns for giving, denying and correcting a name."""

import re

KO = r"(?P<name>[가-힣]{1,6}?|[A-Za-z][A-Za-z'-]{0,19})"
CALLED = (
    r"(?<!더)이?라고(?:요| ?(?:합니다|해요?|하는데요?|하고요?|불러 ?(?:주세요|주시면 ?(?:돼요|됩니다)|줘요?)|불러요?|"
    r"부르시면 ?(?:돼요|됩니다)|부르면 ?돼요?|불리고 ?싶어요?|불려요))"
)
IS = r"(?:이에요|예요|에요|입니다|이야|야|이고요?|고요?|인데요?|이구요|구요|이?라니까요?|이요|요)"
EDGE = r"(?=$|[\s,.!?~…ㅎㅋ^])"
TITLE = r"(?: ?(?:님|씨))?"
BEFORE = r"(?<![가-힣A-Za-z])"

PLAIN = (
    re.compile(
        rf"{BEFORE}(?:(?:제|내|저의|나의) ?)?(?:이름|성함|별명|닉네임)[은는이]? ?(?:그냥 )?{KO}"
        rf"(?:{CALLED}|{IS})?{EDGE}"
    ),
    re.compile(rf"{BEFORE}(?:(?:저는|전|나는|난|저를|나를|그냥|편하게|이제|앞으로) )*{KO}{CALLED}{EDGE}"),
    re.compile(
        r"\b(?:my (?:name|nickname)(?: is|'s)|(?:you can |please |just )?call me|i go by|people call me) "
        r"(?P<name>[A-Za-z][A-Za-z'-]{0,19})",
        re.IGNORECASE,
    ),
)
LIKELY = (
    re.compile(
        rf"{BEFORE}(?:저는|전|나는|난|저|나) {KO}{TITLE}"
        rf"(?:이에요|예요|입니다|이야|야|이고요?|고요?|인데요?|이구요)?{EDGE}"
    ),
    re.compile(r"\b(?:[Ii]'m|[Ii] am|[Ii]m) (?P<name>[A-Z][a-z'-]{1,19})\b"),
    re.compile(rf"^(?:안녕하세요[,.!~ ]*|네[,. ]+)?{KO}{TITLE}(?:이에요|예요|입니다|이요){EDGE}"),
)
BARE = re.compile(
    rf"^(?:(?:안녕하세요|네|음+|아|그냥|저는|전|나는|난|저|나|편하게|그럼|hi|hello|i'm|i am|it's|just)[,.!~… ]+)*"
    rf"{KO}{TITLE}(?:{CALLED}|{IS})?(?:[.!~ㅎㅋ^ ]*)$",
    re.IGNORECASE,
)
_OLD = r"(?P<old>[가-힣]{1,6}?|[A-Za-z][A-Za-z'-]{0,19})"
_NOT_CALLED = r"이?라고 ?(?:부르|하)지 ?(?:말고|말아요?|마시고|마세요|마요|말아 ?주세요)"
_NOT = rf"{TITLE}(?:(?:이|가|은|는|이가)? ?(?:아니|아닌|아닙|아녜|말고)|{_NOT_CALLED})"
_IS_NOT = r"(?:아니에요|아니예요|아녜요|아니야|아닙니다|아닌데요?)"
_OWN = r"(?:저는|전|나는|난|저를|나를|저|제가|(?:제|내) ?이름[은이]?|이름[은이]?)"
DENIED = re.compile(_NOT)
"""Follows a denied name."""
DENIAL = re.compile(
    rf"{BEFORE}(?P<own>{_OWN} )?{_OLD}{TITLE}(?:(?:이|가|은|는|이가)? ?{_IS_NOT}|"
    rf"{_NOT_CALLED}){EDGE}"
)
"""A denied name without a replacement."""
SWAPPED = (
    re.compile(
        rf"{BEFORE}(?P<own>{_OWN} )?{_OLD}{TITLE}"
        rf"(?:(?:이|가|은|는|이가)? ?(?:아니라|아니고요?|아니구요?|{_IS_NOT}|말고)|{_NOT_CALLED})[,.!~… ]+"
        rf"(?:(?:{_OWN}|그냥|앞으로|편하게) )*{KO}{TITLE}(?P<end>{CALLED}|{IS}|(?=$|[,.!~…]))"
    ),
    re.compile(
        r"\b(?P<own>)(?:not|isn't|don't call me) (?P<old>[A-Z][A-Za-z'-]{0,19})[,.;]?"
        r"(?: but| and| it's| it is| i'm| i am| just| please| call me| my name is)+ "
        r"(?P<name>[A-Z][A-Za-z'-]{0,19})(?P<end>)\b",
        re.IGNORECASE,
    ),
)
"""A denied name with its replacement."""
MISTAKEN = re.compile(
    r"(?:(?:제|내) ?)?이름[은을이]? ?(?:제가 |좀 |방금 |아까 )?(?:잘못|틀리게|틀렸|오타|다르게|바꿔|바꿀|다시)"
    r"(?: ?[가-힣]+){0,2}?"
    r"(?:어요|네요|습니다|게요|래요|는데요?|었어|났어|했어|썼어|렸어)(?=$|[,.!~… ])[,.!~… ]*|"
    r"\b(?:got|wrote|typed|said) (?:my|the) name wrong[,.!]* *|\bmy name (?:is|was) wrong[,.!]* *",
    re.IGNORECASE,
)
"""A remark that an earlier name was wrong."""
ASKS_TO_BE_CALLED = re.compile(r"불러|부르|불리|이름|성함|별명|닉네임|\b(?:call me|name|i go by)\b", re.IGNORECASE)
