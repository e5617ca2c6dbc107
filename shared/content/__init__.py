"""What CBot says and knows, as data: modules, tasks, messages, lexicon, personas, hotlines, rubric."""
