"""Islands, groups of contacts without moving bodies in common, and their contact problems."""
