"""Compares two journals: kernels, passes, texts and times."""
