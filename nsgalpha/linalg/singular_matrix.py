"""The error of all backends."""

import numpy as np


class SingularMatrixError(np.linalg.LinAlgError):
    """The matrix is singular, not positive definite, or not finite; the message says where."""
