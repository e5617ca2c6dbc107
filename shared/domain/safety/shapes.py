"""What a text is made of, as bytes: in them letters are found many times as quickly as in the text.

Each tells whether a step of the normaliser may have something to do; what it does, a regular expression then says.
"""

_ALL_BYTES = bytes(range(256))


def latin(text: str) -> bytes:
    """Return a byte for each character: ASCII as it is, but `!` for a question mark, which stands for all others."""
    return text.replace("?", "!").encode("ascii", "replace")


def blocks(text: str) -> bytes:
    """Return the first byte of each UTF-16 unit: the same for the letters of one part of Unicode."""
    return text.encode("utf-16-be", "surrogatepass")[::2]


def cells(text: str) -> bytes:
    """Return the second byte of each UTF-16 unit: unlike letters seldom have the same."""
    return text.encode("utf-16-be", "surrogatepass")[1::2]


def table(kinds: dict[bytes, bytes], other: bytes) -> bytes:
    """Return a table for `bytes.translate`: the bytes of each kind become its sign, all others `other`."""
    sign_of = {byte: sign for members, sign in kinds.items() for byte in members}
    return b"".join(sign_of.get(byte, other) for byte in _ALL_BYTES)
