"""The system: a model as arrays, with its candidates, frames and loads, as kernels and schemes see it."""
