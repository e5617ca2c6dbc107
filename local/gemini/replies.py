"""Response bodies of the Gemini API."""

from uuid import uuid4

from local.gemini.json_types import JsonObject
from local.gemini.plan import Ending, Plan
from local.gemini.protocol import GenerateRequest
from local.gemini.tokens import count_tokens


class Replies:
    """Creates the bodies of one call, with the same response id and prompt count."""

    def __init__(self, request: GenerateRequest) -> None:
        self._model = request.model
        self.ttft_factor = request.ttft_factor
        self._id = uuid4().hex[:22]
        self._prompt = prompt_tokens(request)

    def whole(self, plan: Plan) -> JsonObject:
        """Return the body of generateContent."""
        if plan.ending is Ending.BLOCKED_PROMPT:
            return self.blocked_prompt()
        finish = None if plan.ending is Ending.UNFINISHED else plan.finish
        return self.piece("".join(plan.pieces), len(plan.pieces), finish, plan.thoughts)

    def piece(self, text: str, tokens_so_far: int, finish: str | None, thoughts: int) -> JsonObject:
        """Return one chunk; `finish` in the last one only."""
        content: JsonObject = {"role": "model"}
        if text or finish in {None, "STOP"}:
            content["parts"] = [{"text": text}]
        candidate: JsonObject = {"content": content, "index": 0}
        if finish is not None:
            candidate["finishReason"] = finish
        return {"candidates": [candidate], **self._tail(tokens_so_far, thoughts)}

    def blocked_prompt(self) -> JsonObject:
        """Return a body without candidates."""
        return {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, **self._tail(0)}

    def _tail(self, tokens: int, thoughts: int = 0) -> JsonObject:
        used: JsonObject = {
            "promptTokenCount": self._prompt,
            "candidatesTokenCount": tokens,
            "totalTokenCount": self._prompt + tokens + thoughts,
        }
        if thoughts:  # left out if the model did not think, like by the API
            used["thoughtsTokenCount"] = thoughts
        return {
            "usageMetadata": used,
            "modelVersion": f"{self._model}-simulator",
            "responseId": self._id,
        }


def prompt_tokens(request: GenerateRequest) -> int:
    """Count the tokens of the system instruction and the dialogue."""
    return count_tokens(request.system) + sum(count_tokens(content.text) for content in request.contents)
