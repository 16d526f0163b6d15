"""Recipes: parse one, run it, check it, and hold a run's folder against its promises."""
