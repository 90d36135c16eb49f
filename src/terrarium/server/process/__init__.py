"""The server as a process, and the folder in which clients find it."""
