"""The system: a model as arrays, with candidates, frames and loads."""
