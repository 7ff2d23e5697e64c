"""Impacts: the sequence of impacts in an island, and the impulses of a step."""
