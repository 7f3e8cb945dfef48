"""Comparisons of models: what trainers/compare.py runs."""
