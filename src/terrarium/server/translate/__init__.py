"""From the engine to the API's messages and back: one module a family of messages."""
