"""Google's public keys, and verification of tokens signed with them."""
