"""Batch scoring: what trainers/score.py runs."""
