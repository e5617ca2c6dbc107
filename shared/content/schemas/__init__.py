"""The shapes of the content files, one module for each kind of file."""
