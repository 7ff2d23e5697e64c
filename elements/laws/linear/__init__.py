"""Linear and constant normal forces, and resistances."""
