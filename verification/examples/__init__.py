"""Examples: each file is a script, a test and a picture of the gallery. What they share is in verification/example.py."""
