"""Which replies the background work takes as the counsellor's."""

from shared.domain.counseling.directive import Directive, counselors


def test_the_record_of_another_service_holds_no_instructions_of_the_counsellor():
    assert counselors({"service": "agreement", "decisions": [], "cited": []}) is None
    assert counselors(None) is None
    assert "service" not in Directive.model_fields
