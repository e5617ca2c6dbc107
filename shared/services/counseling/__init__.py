"""The counselling service: the client's view, dialogue for prompts, evidence."""
