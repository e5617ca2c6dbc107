"""Limits of the reading of one file."""

from shared.domain.agreement.upload import MOST_CHARACTERS

MEBIBYTE = 1024 * 1024
MOST_RAW = 4 * MOST_CHARACTERS
"""Characters before hidden ones are dropped and the rest is normalised, which shortens a text to a quarter at most."""
CPU_SECONDS = 10
WALL_SECONDS = 20.0
MEMORY_BYTES = 224 * MEBIBYTE
"""Data of the reading process; the instance has 512 MiB for all (infra/functions.tf)."""
