"""Folder of the service's prompts."""

from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
