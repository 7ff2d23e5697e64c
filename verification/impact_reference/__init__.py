"""Motion from impact to impact, a reference that knows no step."""
