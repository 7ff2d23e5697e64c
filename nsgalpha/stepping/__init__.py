"""The parts of a step that schemes share: start, smooth motion, poses, warm start, record, outcome."""
