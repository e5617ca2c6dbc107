"""The counselling service's own words: session, Part, task, module, persona, and the rules between them."""
