"""Laws of compliant contact: Exudyn's, Luding's, Rockable's, and by kind those of the literature."""
