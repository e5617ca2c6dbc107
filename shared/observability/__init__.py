"""What operators see: never what a person wrote."""
