"""What a conversation keeps about questions on agreements."""

from shared.model import Model

SERVICE_AGREEMENT = "service"
"""The id of the shipped counselling agreement."""


class AgreementState(Model):
    """The agreement that a conversation asks about.

    Attributes:
        document_id: The document that is asked about.
        advice_declined: The user was told that answers are no legal advice; once per conversation.
    """

    document_id: str = SERVICE_AGREEMENT
    advice_declined: bool = False
