"""What several functions share of one service; one folder a service."""
