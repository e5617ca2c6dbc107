from shared.content.catalogue import content


def reach():
    c = content()
    c.lexicon.patterns.compile_all()
