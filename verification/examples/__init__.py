"""Examples: each file is a script, a test and a picture of the gallery; see verification/example.py."""
