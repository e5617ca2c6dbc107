"""Remembers the replies of a dialogue that the prompt's window no longer shows, so that nothing is asked twice."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from local.gemini.protocol import Content

_TOLD_APART_BY = 4
"""Messages that identify a dialogue's place: two of each speaker."""
_MOST_PLACES = 5_000


class EarlierReplies:
    """The replies up to a place in a dialogue; the oldest places are forgotten."""

    def __init__(self) -> None:
        self._at: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def before(self, contents: Sequence[Content]) -> tuple[str, ...]:
        """Return the replies up to the newest that is remembered; fixed texts may follow it.

        The product may have changed a reply: then the person's own messages tell the place.
        """
        ends = [end for end in range(len(contents), 0, -1) if contents[end - 1].role == "model"]
        places = (place(contents[:end]) for end in ends for place in (_place, _place_of_the_person))
        return next((self._at[place] for place in places if place in self._at), ())

    def keep(self, contents: Sequence[Content], reply: str) -> None:
        """Add a reply to those before it; the dialogue of its prompt is remembered with the first."""
        earlier = self.before(contents) or tuple(one.text for one in contents if one.role == "model")
        whole = (*contents, Content(role="model", text=reply))
        for place in (_place(whole), _place_of_the_person(whole)):
            self._at[place] = (*earlier, reply)
            self._at.move_to_end(place)
        while len(self._at) > _MOST_PLACES:
            self._at.popitem(last=False)


def _place_of_the_person(contents: Sequence[Content]) -> str:
    return "person " + _place([one for one in contents if one.role == "user"])


def _place(contents: Sequence[Content]) -> str:
    told = "\x00".join(one.text for one in contents[-_TOLD_APART_BY:])
    return hashlib.blake2b(told.encode(errors="surrogatepass"), digest_size=16).hexdigest()
