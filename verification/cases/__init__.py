"""Case files of the published cases, and examples to begin with: `nsgalpha new` copies them."""
