"""What holds for every test."""

from hypothesis import settings

# Speed is measured by `make bench`; a slow moment of the machine is no failure of a rule.
settings.register_profile("cbot", deadline=None)
settings.load_profile("cbot")
