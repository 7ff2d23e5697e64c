"""The command line, its entry points, and the packages that must be there."""
