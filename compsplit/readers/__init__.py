"""Readers: a file, or several, to one table."""
