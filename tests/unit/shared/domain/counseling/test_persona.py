from shared.content.catalogue import content
from shared.domain.counseling.persona import persona_of


def test_a_known_type_brings_its_own_keywords_before_the_common_ones():
    catalogue = content().personas
    persona = persona_of(catalogue, "Type_B", level=3)
    assert (persona.type, persona.counseling_level) == ("Type_B", 3)
    assert persona.keywords == catalogue.find("Type_B").type_specific_keywords + catalogue.common_keywords
    assert len(persona.keywords) == 8


def test_an_unknown_or_missing_type_leaves_the_common_keywords():
    catalogue = content().personas
    for type_id in (None, "", "Type_Z"):
        persona = persona_of(catalogue, type_id)
        assert (persona.type, persona.keywords) == (None, catalogue.common_keywords)
