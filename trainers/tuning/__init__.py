"""Finds training recipes: trainers/tune.py."""
