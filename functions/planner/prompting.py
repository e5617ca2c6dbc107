"""Folder of the planner's prompts."""

from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
