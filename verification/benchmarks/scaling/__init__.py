"""Growing scenes, one step at a time: `python -m verification.benchmarks.scaling`."""
