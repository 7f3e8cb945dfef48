import abc


class Solver(abc.ABC):
    """How systems with the precision matrix of a view are solved."""

    @abc.abstractmethod
    def prepare(self, view):
        """What solving at the point of a view needs, computed once.

        Args:
            view: an `Expansion` of log p(x, z).

        Returns:
            A function from `rhs`, `[batch, latent]`, to Lambda^-1 rhs. Its
            gradient is not to be used: see `linalg.implicit_solve`.
        """
