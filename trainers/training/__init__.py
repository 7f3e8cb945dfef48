"""Training: what trainers/main.py runs."""
