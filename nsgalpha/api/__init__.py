"""Functions that a script calls: runs, with their files and their live view."""
