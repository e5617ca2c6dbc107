"""Content as data: modules, tasks, messages, lexicon, personas, hotlines, rubric."""
