"""Balancing: rows are thrown away so that the answers of each group are spread more evenly."""
