"""The output guard: reads a reply while it is written, and lets out only what will not have to be unsaid.

It goes letter by letter, so the result does not depend on the pieces in which a model's words arrive.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shared.model import Model
from shared.safety.output_guard.rules import Category, GuardRule, GuardRules, Hit, Situation, Standing, Way, Ways
from shared.safety.output_guard.sentence import END, Sentence
from shared.safety.output_guard.starts import Starts, Step, goes_on

LOOK_BACK = 64
"""Letters that are held back at most before a word is let out, a hit under way aside: no rule reaches further.

The first sentence goes out word by word, so that nobody waits for it; a later one as a whole when it is no longer than
this, so that a cut falls between two sentences. Own figure: one long Korean sentence.
"""
_TRAILS_OFF = "…"
_GRAVEST = (Category.MEANS, Category.ENCOURAGING)


class Guarded(Model):
    """A reply as it may stand.

    Attributes:
        text: What was clean, with a safe ending where the rest was cut.
        category: Why it was cut, or None.
        rule: The id of the rule that cut it.
        left_out: Sentences that were left out because a rule had said the same.
    """

    text: str
    category: Category | None = None
    rule: str = ""
    left_out: int = 0


@dataclass(eq=False)
class _Begun:
    """A start that stands whole.

    Attributes:
        place: Where it begins in the folded sentence.
        behind: Where it ends.
        left: How it may still go on.
    """

    place: int
    behind: int
    rule: GuardRule
    hit: Hit
    left: Ways

    def end(self, folded: str) -> int | None:
        """Return where the hit ends, or None."""
        return self.hit.matched(folded, self.place, self.behind)

    def standing(self, folded: str) -> Standing:
        """Return whether it is a hit or may still become one."""
        standing, self.left = self.hit.standing(folded, self.place, self.behind, self.left)
        return standing

    @property
    def order(self) -> tuple[bool, bool, int]:
        """Which of several hits of a sentence says how the reply ends: the gravest, then the first."""
        return self.rule.category is Category.REPEATED, self.rule.category not in _GRAVEST, self.place


@dataclass
class _Reading:
    """What may be under way in a sentence.

    Attributes:
        walks: Places at which a start may have begun, whether that is within a word, and how far it has come.
        begun: Starts that stand whole; the hit may still come.
        armed: Those that are a hit, unless the rest of the sentence excuses it.
        let_out: Letters of the raw sentence that are out.
    """

    sentence: Sentence = field(default_factory=Sentence)
    walks: list[tuple[int, bool, Step[Way]]] = field(default_factory=list)
    begun: list[_Begun] = field(default_factory=list)
    armed: list[_Begun] = field(default_factory=list)
    let_out: int = 0

    def follow(self, letter: str, roots: Sequence[Starts[Way]]) -> None:
        """Take a folded letter."""
        at = len(self.sentence.folded) - 1
        within_word = goes_on(self.sentence.folded[max(at - 1, 0) : at], letter)
        walks = [(place, within, on) for place, within, step in self.walks if (on := step.behind(letter))]
        walks += [(at, within_word, on) for root in roots if (on := root.behind(letter))]
        self.walks = walks
        for place, within, step in walks:
            ways = step.joined if within else (*step.found, *step.joined)
            self.begun.extend(_Begun(place, at + 1, rule, hit, hit.then) for rule, hit in ways)
        self._settle()

    def held_from(self) -> int:
        """Return the place in the raw sentence from which on something may be a hit."""
        places = [place for place, _, _ in self.walks] + [one.place for one in (*self.begun, *self.armed)]
        return self.sentence.places[min(places)] if places else len(self.sentence.raw)

    def first_hit(self, situation: Situation) -> GuardRule | None:
        """Return the rule of the hit that decides about the sentence, if it is over here."""
        sentence = self.sentence
        sentence.folded += END
        found = (
            one.rule
            for one in sorted((*self.armed, *self.begun), key=lambda one: one.order)
            if self._hits(one, situation)
        )
        rule = next(found, None)
        sentence.folded = sentence.folded.removesuffix(END)
        return rule

    def _hits(self, one: _Begun, situation: Situation) -> bool:
        end = one.end(self.sentence.folded)
        return end is not None and one.rule.counts(self.sentence, one.place, end, situation)

    def _settle(self) -> None:
        """Let go of what can be no hit any more."""
        folded, still = self.sentence.folded, []
        for one in self.begun:
            match one.standing(folded):
                case Standing.HIT:
                    self.armed.append(one)
                case Standing.MAY_COME:
                    still.append(one)
                case Standing.NONE:
                    pass
        self.begun = still


class Watch:
    """Reads one reply.

    Attributes:
        rule: The rule that cut it, once one has.
        kept: What was let out or may be.
    """

    def __init__(self, rules: GuardRules, situation: Situation) -> None:
        self.rule: GuardRule | None = None
        self.kept = ""
        self.left_out = 0
        self._situation = situation
        self._roots = rules.trees(situation)
        self._reading = _Reading()
        self._eager = not situation.noticed

    @property
    def caught(self) -> bool:
        """Whether the rest of the reply is of no use."""
        return self.rule is not None

    @property
    def trails_off(self) -> bool:
        """Whether the cut fell within a sentence of which something is out."""
        return self.caught and self._reading.let_out > 0

    def take(self, text: str) -> str:
        """Take the next piece; return what may be shown now."""
        before = len(self.kept)
        for char in text:
            if self.caught:
                break
            if self._reading.sentence.ends_before(char):
                self._judge()
            elif char == "\n" and self._reading.sentence.may_end_here():
                self._judge_line()
            if not self.caught:
                self._add(char)
        return self.kept[before:]

    def end(self) -> str:
        """Judge what is left; return what of it may be shown."""
        before = len(self.kept)
        if not self.caught and self._reading.sentence.raw.strip():
            self._judge()
        return self.kept[before:]

    def _add(self, char: str) -> None:
        reading = self._reading
        letter = reading.sentence.add(char)
        if letter:
            reading.follow(letter, self._roots)
        if letter and (self._eager or len(reading.sentence.folded) > LOOK_BACK):
            self._let_out(reading.sentence.fit_to_show(reading.held_from()))

    def _judge(self) -> None:
        """Decide on the sentence, which is over, and begin the next."""
        reading = self._reading
        rule = reading.first_hit(self._situation)
        if rule is not None and rule.category is not Category.REPEATED:
            self.rule = rule
            return
        if rule is None or reading.let_out:
            self._let_out(len(reading.sentence.raw))
        else:
            self.left_out += 1
        self._eager = False
        self._reading = _Reading()

    def _judge_line(self) -> None:
        """Stop at a line that would not do as a sentence; if it would, the next line may still go on with it."""
        rule = self._reading.first_hit(self._situation)
        if rule is not None and rule.category is not Category.REPEATED:
            self.rule = rule

    def _let_out(self, until: int) -> None:
        reading = self._reading
        if until > reading.let_out:
            fresh = reading.sentence.raw[reading.let_out : until]
            self.kept += fresh if self.kept else fresh.lstrip()
            reading.let_out = until


class OutputGuard:
    """The guard of one reply's conversation."""

    def __init__(self, rules: GuardRules, situation: Situation, ending: Callable[[Category], str]) -> None:
        """Take the rules, what they must know, and the words that end a reply that was cut."""
        self._rules = rules
        self._situation = situation
        self._ending = ending

    def watch(self) -> Watch:
        """Return a new reading, for one stream."""
        return Watch(self._rules, self._situation)

    def over(self, text: str) -> Guarded:
        """Return a whole reply as it may stand; it begins with whatever a watch let out of it."""
        watch = self.watch()
        watch.take(text)
        watch.end()
        if watch.rule is None:
            return Guarded(text=watch.kept, left_out=watch.left_out)
        category = watch.rule.category
        trails_off = watch.trails_off and not watch.kept.endswith(_TRAILS_OFF)
        between = f"{_TRAILS_OFF} " if trails_off else " "
        closed = f"{watch.kept}{between}{self._ending(category)}" if watch.kept else self._ending(category)
        return Guarded(text=closed, category=category, rule=watch.rule.id, left_out=watch.left_out)
