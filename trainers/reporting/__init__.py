"""A page about runs."""
