"""Rockable: contacts and bonds."""
