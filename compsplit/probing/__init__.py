"""Blind probes run on splits: their accuracy, what it drops by, and how hard each row is."""
