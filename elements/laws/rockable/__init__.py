"""The laws of Rockable (Richefeu and others): Default, Avalanche, StickedLinks."""
