"""Calls of the five tools: their arguments, their signatures, and the repair of arguments that a model got wrong."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from shared.domain.agreement.numbers import MOST_NUMBERS, number_of
from shared.model import Model

MOST_TOPICS, MOST_QUERIES, MOST_TITLES = 4, 4, 6
LONGEST_WORDS = 80
"""Characters of a query, a topic or a title; what is longer is cut."""


class ToolName(StrEnum):
    """The tools, by the names that a model calls them."""

    STRUCTURE = "get_contract_structure"
    SEARCH = "hybrid_search"
    BY_INDEX = "get_article_by_index"
    BY_TITLE = "get_article_by_title"
    STANDARD = "lookup_standard_contract"


class Topic(Model):
    """One need, in several wordings."""

    topic_name: str
    queries: tuple[str, ...]


class ToolArgs(Model):
    """The arguments of all tools; those of another tool are empty.

    Attributes:
        user_article_numbers: Articles of the document whose counterparts in the standard form are wanted.
        topic: What the standard form is searched for.
    """

    topics: tuple[Topic, ...] = ()
    article_numbers: tuple[str, ...] = ()
    exhibit_numbers: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    user_article_numbers: tuple[str, ...] = ()
    topic: str = ""


class ToolCall(Model):
    """A tool with its arguments."""

    tool: ToolName
    args: ToolArgs = ToolArgs()

    @property
    def signature(self) -> str:
        """`tool:sorted(args)`: equal for calls that find the same, whatever the order of their words."""
        queries = sorted({" ".join(query.split()).lower() for topic in self.args.topics for query in topic.queries})
        args = {
            "article_numbers": sorted(set(self.args.article_numbers)),
            "exhibit_numbers": sorted(set(self.args.exhibit_numbers)),
            "queries": queries,
            "titles": sorted({title.lower() for title in self.args.titles}),
            "topic": " ".join(self.args.topic.split()).lower(),
            "user_article_numbers": sorted(set(self.args.user_article_numbers)),
        }
        return f"{self.tool.value}:{sorted((name, value) for name, value in args.items() if value)}"

    @property
    def parts(self) -> tuple["ToolCall", ...]:
        """The calls that may run in parallel: one for each article or exhibit that is read by its number."""
        args = self.args
        if self.tool is not ToolName.BY_INDEX or len(args.article_numbers) + len(args.exhibit_numbers) < 2:
            return (self,)
        return (
            *(ToolCall(tool=self.tool, args=ToolArgs(article_numbers=(one,))) for one in args.article_numbers),
            *(ToolCall(tool=self.tool, args=ToolArgs(exhibit_numbers=(one,))) for one in args.exhibit_numbers),
        )


def search(*queries: str, name: str = "") -> ToolCall:
    topic = Topic(topic_name=_words(name or queries[0]), queries=tuple(map(_words, queries)))
    return ToolCall(tool=ToolName.SEARCH, args=ToolArgs(topics=(topic,)))


_QUERY_NAMES = ("topics", "topic", "query", "queries", "search", "keyword", "keywords", "text")
_NUMBER_NAMES = (
    *("article_numbers", "article_number", "articles", "article", "numbers", "number", "indices", "index"),
    *("user_article_numbers", "user_article_number"),
)
_EXHIBIT_NAMES = ("exhibit_numbers", "exhibit_number", "exhibits", "exhibit")
_TITLE_NAMES = ("titles", "title", "names", "name")


def repaired(tool: ToolName, raw: Mapping[str, object]) -> ToolCall | None:
    """Return the call that a model meant: other names, single values, numbers in words; None if nothing is usable.

    `query` becomes `topics`, `title` becomes `titles`, "제5조" becomes 5.
    """
    match tool:
        case ToolName.STRUCTURE:
            return ToolCall(tool=tool)
        case ToolName.SEARCH:
            args = ToolArgs(topics=_topics(_all(raw, (*_QUERY_NAMES, *_TITLE_NAMES))))
        case ToolName.BY_INDEX:
            exhibits = _numbers(_all(raw, _EXHIBIT_NAMES))
            args = ToolArgs(article_numbers=_numbers(_all(raw, _NUMBER_NAMES)), exhibit_numbers=exhibits)
        case ToolName.BY_TITLE:
            args = ToolArgs(titles=_texts(_all(raw, (*_TITLE_NAMES, *_QUERY_NAMES)))[:MOST_TITLES])
        case ToolName.STANDARD:
            words = _texts(_all(raw, ("topic", *_QUERY_NAMES, *_TITLE_NAMES)))
            topic = _words(" ".join(dict.fromkeys(words)))
            args = ToolArgs(user_article_numbers=_numbers(_all(raw, _NUMBER_NAMES)), topic=topic)
    return None if args == ToolArgs() else ToolCall(tool=tool, args=args)


def _all(raw: Mapping[str, object], names: Iterable[str]) -> list[object]:
    found: list[object] = []
    for name in dict.fromkeys(names):
        value = raw.get(name)
        if isinstance(value, list | tuple):
            found += value
        elif value not in (None, "", {}):
            found.append(value)
    return found


def _topics(values: Sequence[object]) -> tuple[Topic, ...]:
    topics: list[Topic] = []
    loose: list[str] = []
    for value in values:
        if not isinstance(value, Mapping):
            loose += _texts([value])
            continue
        name = _words(value.get("topic_name") or value.get("topic") or value.get("name") or "")
        queries = _texts(_all(value, ("queries", "query", "keywords"))) or ((name,) if name else ())
        if queries:
            topics.append(Topic(topic_name=name or queries[0], queries=queries[:MOST_QUERIES]))
    if loose:
        topics.append(Topic(topic_name=loose[0], queries=tuple(dict.fromkeys(loose))[:MOST_QUERIES]))
    return tuple(topics[:MOST_TOPICS])


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    found: list[str] = []
    for value in values:
        if isinstance(value, Mapping):
            found += _texts(_all(value, ("queries", "query", "topic_name", "title")))
        elif isinstance(value, str) and _words(value):
            found.append(_words(value))
    return tuple(dict.fromkeys(found))


def _numbers(values: Iterable[object]) -> tuple[str, ...]:
    numbers = (number_of(value) for value in values)
    return tuple(dict.fromkeys(number for number in numbers if number))[:MOST_NUMBERS]


def _words(value: object) -> str:
    return " ".join(str(value).split())[:LONGEST_WORDS].strip()
