"""Asking people on the server's page: what they are shown, what they answer, and whether an answer may stand."""
