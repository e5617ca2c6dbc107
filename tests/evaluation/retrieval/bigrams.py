"""The yardstick: BM25 with its usual constants on the pairs of characters of title and text, and nothing else."""

import math
from collections import Counter

from shared.domain.agreement.document import AgreementDocument
from tests.evaluation.retrieval.measure import Ranking


def bigram_ranking(document: AgreementDocument) -> Ranking:
    """Return a search on pairs of characters."""
    counts = {passage.id: Counter(_bigrams(f"{passage.title} {passage.text}")) for passage in document.passages}
    lengths = {name: sum(found.values()) for name, found in counts.items()}
    average = sum(lengths.values()) / len(lengths)
    spread = Counter(unit for found in counts.values() for unit in found)

    def score(name: str, query: str) -> float:
        total = 0.0
        for unit in set(_bigrams(query)):
            if count := counts[name][unit]:
                rarity = math.log(1 + (len(counts) - spread[unit] + 0.5) / (spread[unit] + 0.5))
                total += rarity * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * lengths[name] / average))
        return total

    def ranking(query: str) -> list[str]:
        scores = {name: score(name, query) for name in counts}
        return sorted((name for name in counts if scores[name]), key=lambda name: -scores[name])

    return ranking


def _bigrams(text: str) -> list[str]:
    plain = "".join(text.lower().split())
    return [plain[index : index + 2] for index in range(len(plain) - 1)]
