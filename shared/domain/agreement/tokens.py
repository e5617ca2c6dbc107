"""Divides Korean and English text into the units that search compares.

A Korean word loses its particle or ending by a short list, and becomes pairs of characters: so 해지하면, 해지를 and
계약해지 have 해지 in common without a dictionary. English words lose their plainest endings.
"""

import re
import unicodedata
from collections.abc import Iterator

_RUN = re.compile(r"[가-힣]+|[a-z]+|\d+")

# The longest that fits is taken off; two characters at least are left.
_PARTICLES = """
에서는 에서도 에서의 으로는 으로도 으로써 으로서 에게는 에게서 까지는 부터는 이라도 이라면 이라는 이라고 이란
에서 에게 에는 에도 으로 까지 부터 보다 처럼 마다 조차 밖에 이나 이랑 이며 하고 한테 한테도 이든 라도 라면 라는
라고 끼리 님이 님 은 는 이 가 을 를 에 의 와 과 로 도 만 랑 나 며 란 든
"""
_VERB_ENDINGS = """
하였습니다 하겠습니다 합니다 됩니다 습니다 입니다 하십시오 하여야 하여도 하여서 하지만 하거나 하려면 하려고
하면서 하는데 하는지 하도록 하기로 하지는 했는데 했으면 했다면 되었을 되려면 되는데 되는지 되거나 되도록 되면서
되나요 되나 되죠 돼요 돼죠 되고 되면 되어 되는 된다 된 될 되지 하나요 하죠 해요 했어요 했는데요 해도 해서 해야
하면 하고 하는 하여 한다 하지 하게 하기 하며 했을 했다 했던 한 할 함 해 인가요 인가 인지 인데 이에요 예요 이야
이죠 이지 당했어요 당했는데 당하면 당해요 나요 가요 까요 을까요 는데요 는데 는지 는가 는가요 어요 아요 여요 네요
군요 거든요 대요 래요 죠 요 다는데 ㅆ어요 으면 으려면 으니까 니까 면은 려면 면서 려고 려는 지만 거나 도록 더라도
어도 아도 어서 아서 았을 었을 았어 었어 았는데 었는데 어야 아야 면 고 지 게 던 서 니 자 다
"""
_ENDINGS = frozenset(f"{_PARTICLES} {_VERB_ENDINGS}".split())
_LONGEST_ENDING = max(map(len, _ENDINGS))
_SHORT_PARTICLES = ("을", "를", "은", "는")
"""Of a word with one character; 이 and 가 end too many nouns (나이, 휴가)."""

# Words that ask, point or only carry an ending: they tell nothing about what is asked.
_ASKING_WORDS = """
어떻 어떻게 어떡 어떡해 어떡하 어떤 어떤가 어케 무엇 무슨 뭐 뭐가 뭔가 뭘 뭐예 뭔 언제 언제까지 누가 누구 어디
어디서 어디다 어느 왜 얼마나 몇 제가 저는 저도 저랑 저에 내가 나는 나도 저의 제 저 나 내 우리 너희 이 그 이거
그거 저거 이건 그건 그런 이런 그럼 그러 그래 그렇 이렇 여기 여기서 거기 있나 있는 있어 있는지 있을 있죠 있으 있
없나 없는 없어 없을 없는지 없 되나 되는 돼 되 돼요 됐 하나 하는 해 하 할 한 하려 하다 하면 하는데 해도 해야 거예
건가 거죠 거야 맞죠 맞나 맞아 맞 괜찮 괜찮나 않나 아닌가 아니 아니야 아니죠 아니지 안하 수 것 거 게 건 걸 때 좀
다 더 안 못 꼭 진짜 정말 혹시 근데 그런데 그리고 만약 만약에 지금 경우 경우에 대하여 대해 대해서 관하여 관한
따라 따른 위하여 위한 통하여 또는 밖 및 등 각 호 다음 해당 해당돼 때문 동안 같은 이번 궁금 궁금해 궁금한 알려
알려줘 알고 싶어 싶은 싶은데 싶 싶다 말해 말하 설명 줘 줘요 주나 준다 줘야 주 가 가야 가는데 가나 봐 봐요 a an
the of to in on at by for and or is are am be was were do does did i you my your me we it its this that can
could will would shall should may what when where who whom how why which if then any there here have has had
with from as not no so about into out get got let us our they them their he she
"""
_ASKING = frozenset(_ASKING_WORDS.split())
_SUFFIXES = ("ations", "ation", "ings", "ing", "ments", "ment", "ed", "es", "s", "ly", "e")


def normalised(text: str) -> str:
    """Return the text in one form for search."""
    return unicodedata.normalize("NFKC", text).lower()


def words(text: str) -> Iterator[str]:
    """Yield the stems of a text, without words that only ask."""
    for match in _RUN.finditer(normalised(text)):
        word = match[0]
        if word in _ASKING:
            continue
        stem = _english_stem(word) if word.isascii() else korean_stem(word)
        if stem not in _ASKING:
            yield stem


def units(stem: str) -> Iterator[str]:
    """Yield the units of a stem: its pairs of Korean characters, or the whole word."""
    if stem.isascii() or len(stem) < 3:
        yield stem
        return
    for index in range(len(stem) - 1):
        yield stem[index : index + 2]


def units_of(text: str) -> Iterator[str]:
    return (unit for stem in words(text) for unit in units(stem))


def weighted_units(text: str) -> dict[str, float]:
    """Return the units of a query, each once. A long word has many units, and would drown a short one."""
    weights: dict[str, float] = {}
    for stem in words(text):
        found = tuple(units(stem))
        for unit in found:
            weights[unit] = max(weights.get(unit, 0.0), len(found) ** -0.5)
    return weights


def korean_stem(word: str) -> str:
    """Return a word without its particle or ending, if two characters are left."""
    if len(word) == 2 and word[1] in _SHORT_PARTICLES:
        return word[0]
    for length in range(min(_LONGEST_ENDING, len(word) - 2), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word


def _english_stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word
