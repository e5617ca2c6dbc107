"""The platform that the functions run on, and how their sources get there."""
