"""Contact of biological cells."""
