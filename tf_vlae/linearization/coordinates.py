"""Views for likelihoods whose information is not diagonal in y."""

from tf_vlae.linearization.base import Linearization


class LinearizationInCoordinates(Linearization):
    """A linearization with changes of y in a likelihood's own coordinates.

    The information about y of some likelihoods, as the categorical one, is
    not a diagonal matrix, but A^T diag(C) A. With A J in place of J all the
    products have the form that they have for the others:

    ```
    J^T (A^T diag(C) A) J = (A J)^T diag(C) (A J),   (A J)^T r = J^T A^T r
    ```

    A^T leaves a score as it is, so gradients are the same.

    Args:
        linearization: the `Linearization`.
        likelihood: a `tf_vlae.likelihoods.Likelihood`, whose `tangent` is A
            and whose `cotangent` is A^T.
    """

    def __init__(self, linearization, likelihood):
        self.z = linearization.z
        self.output = linearization.output
        self._linearization = linearization
        self._likelihood = likelihood

    def jvp(self, v):
        return self._likelihood.tangent(self.output, self._linearization.jvp(v))

    def vjp(self, r):
        return self._linearization.vjp(
            self._likelihood.cotangent(self.output, r)
        )

    def jacobian_rows(self):
        rows = self._linearization.jacobian_rows()
        return self._likelihood.tangent(self.output[:, None], rows)
