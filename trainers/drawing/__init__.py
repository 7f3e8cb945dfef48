"""Figures: of the paper, and of runs."""
