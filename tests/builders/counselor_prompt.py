"""The Counselor's prompts with their input, and a directive that holds all that it must."""

from pathlib import Path

from functions.chat.flows.counseling.plan_of_reply import Directive
from shared.engine.agent import Speaker
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.help_seeking import Inquiry

PROMPTS = Path(__file__).parents[2] / "functions/chat/prompts"


class CounselorInput(Model):
    """The input of both prompts."""

    directive: Directive
    speech_register: str
    summary: str
    first_turn: bool
    fears_home: bool = False
    in_questionnaire: bool = False
    due: Inquiry | None = None


SPEAKER = Speaker(name="counselor", prompt=Prompt(PROMPTS, "counselor", 4, CounselorInput))
CARE = Speaker(name="counselor", prompt=Prompt(PROMPTS, "counselor_care", 4, CounselorInput))
