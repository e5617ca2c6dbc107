"""Limits of the reading of one file."""

from shared.domain.agreement.upload import MOST_CHARACTERS

MEBIBYTE = 1024 * 1024
MOST_RAW = 4 * MOST_CHARACTERS
"""Characters before hidden ones are dropped and the rest is normalised, which shortens a text to a quarter at most."""
CPU_SECONDS, FIRST_CPU_SECONDS, BYTES_A_SECOND = 10, 3, 64 * 1024
"""Computing time of one file: so much at most, of a small one less. A file that needs more is refused, however busy the
machine is; contracts need a second for 80 kB."""
WALL_SECONDS = 60.0
"""From a file's arrival to its text. Longer is the machine's fault: the instance is busy, and the file may be sound."""
MEMORY_BYTES = 224 * MEBIBYTE
"""Data of the reading process; the instance has 512 MiB for all (infra/functions.tf)."""
