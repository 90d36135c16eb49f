"""ReplayStore that is kept: replay buffers, priorities, hindsight."""
