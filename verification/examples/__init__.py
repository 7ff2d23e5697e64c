"""Examples, each a script, a test and a picture; see verification/example.py."""
