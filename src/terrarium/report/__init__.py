"""Curves and tables that compare training runs, read from their folders alone."""
