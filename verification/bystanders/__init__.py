"""Bystanders: every feature beside every other one, 50 m away, without influence."""
