"""Looks at runs: trainers/curves.py, evaluate.py and solver_error.py."""
