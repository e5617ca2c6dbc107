"""Where the session manager's prompts are."""

from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
