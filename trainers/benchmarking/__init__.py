"""Measurements of speed: trainers/benchmark.py and trainers/overheads.py."""
