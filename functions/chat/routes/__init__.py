"""The HTTPS side of `chat`: a table of endpoints, and handlers that parse, make one call and answer in types."""
