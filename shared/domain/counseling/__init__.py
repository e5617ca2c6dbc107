"""The domain of the counselling service: session, Part, task, module, persona and their rules."""
