"""The API server under messages that no client means to send."""
