"""Common parts of schemes: start, smooth motion, poses, warm start, record, outcome."""
