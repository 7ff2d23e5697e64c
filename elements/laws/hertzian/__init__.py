"""Hertz's contact and its adhesive relatives."""
