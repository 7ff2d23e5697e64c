from numpy.linalg import LinAlgError as SingularMatrixError
