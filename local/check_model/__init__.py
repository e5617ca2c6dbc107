"""Does the configured model take what the agents send? Asks it once for each agent, and says what it costs."""
