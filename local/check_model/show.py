"""The output of the check: a table and lines about the models."""

from collections.abc import Iterable, Mapping

from local.check_model.trial import Trial
from shared.config.models import Catalogue
from shared.domain.errors import ModelError

HEADER = (
    f"{'agent':<24} {'model':<22} {'thinking':<8} {'first':>7} {'total':>7} {'in':>6} {'out':>5} {'thought':>7} "
    f"{'won':>7}  result"
)


def row(trial: Trial) -> str:
    used, settings = trial.usage, trial.settings
    thinking = settings.thinking_level or ("-" if settings.thinking_budget is None else str(settings.thinking_budget))
    first = "-" if trial.first_ms is None else f"{trial.first_ms:.0f}"
    answer = used.output_tokens - used.thought_tokens
    return (
        f"{trial.agent:<24} {settings.model:<22} {thinking:<8} {first:>7} {trial.total_ms:>7.0f} "
        f"{used.prompt_tokens:>6} {answer:>5} {used.thought_tokens:>7} {trial.won:>7.2f}  {trial.problem or 'accepted'}"
    )


def of_models(found: Mapping[str, ModelError | None], catalogue: Catalogue) -> Iterable[str]:
    """Yield a line per configured model: whether it is served, and until when."""
    for model, answer in found.items():
        entry = catalogue.models.get(model)
        served = f"not served: {answer.reason}" if answer else "served"
        if entry is None:
            known = "not in the catalogue"
        elif entry.retires_on is None:
            known = f"no end announced (looked up {entry.checked})"
        else:
            known = f"switched off on {entry.retires_on} (looked up {entry.checked})"
        yield f"{model:<24} {served}; {known}"
