"""Folder of the session manager's prompts."""

from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
