"""Loops over the entries of vectors, for kernels, without allocation."""

from nsgalpha.jit.decorators import kernel


@kernel
def fill(array, value):
    """`array[:] = value`, any shape."""
    flat = array.reshape(-1)
    for i in range(flat.shape[0]):
        flat[i] = value


@kernel
def largest(x):
    """Largest magnitude in `x` (n,)."""
    value = 0.0
    for i in range(x.shape[0]):
        value = max(value, abs(x[i]))
    return value


@kernel
def copy_into(target, source):
    """`target[:] = source`, both (n,)."""
    for i in range(source.shape[0]):
        target[i] = source[i]
