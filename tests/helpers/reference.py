"""Algorithm 1 in plain numpy: float64, one example at a time.

Written from the paper, in the paper's own form and apart from the library,
whose results it checks. Masks are matrices, covariances are inverses, and
nothing is fast.

Reference:

- [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267)
"""

import numpy as np


def leaky(slope):
    """The matrix O of units with slope 1 above zero; ReLU is slope 0."""
    return lambda a: np.diag(np.where(a > 0, 1.0, slope))


def maxout(pieces):
    """The matrix O, `[units, units * pieces]`, that picks the largest."""

    def pick(a):
        groups = a.reshape(-1, pieces)
        rows = np.arange(len(groups))
        matrix = np.zeros((len(groups), len(a)))
        matrix[rows, rows * pieces + groups.argmax(axis=1)] = 1.0
        return matrix

    return pick


class Network:
    """g(z) = W_L O_{L-1} (... O_0 (W_0 z + b_0) ...) + b_L.

    Args:
        weights: list of arrays W_0^T, b_0, ..., W_L^T, b_L, which is how
            `get_weights` of a Keras network lists them.
        units: function from an array a, `[width]`, to the matrix O at a.
    """

    def __init__(self, weights, units):
        weights = [np.asarray(weight, np.float64) for weight in weights]
        kernels, biases = weights[0::2], weights[1::2]
        *self.layers, self.last = zip(kernels, biases, strict=True)
        self.units = units

    def __call__(self, z):
        hidden = np.asarray(z, np.float64)
        for kernel, bias in self.layers:
            a = kernel.T @ hidden + bias
            hidden = self.units(a) @ a
        kernel, bias = self.last
        return kernel.T @ hidden + bias

    def linearize(self, z):
        """W, `[data, latent]`, and b, `[data]`, with g = W z + b around z."""
        hidden, W = np.asarray(z, np.float64), np.eye(len(z))
        for kernel, bias in self.layers:
            a = kernel.T @ hidden + bias
            mask = self.units(a)
            hidden, W = mask @ a, mask @ kernel.T @ W
        W = self.last[0].T @ W
        return W, self(z) - W @ z


class Gaussian:
    """x|y ~ N(y, variance I)."""

    def __init__(self, variance):
        self.variance = float(variance)

    def log_prob(self, x, y):
        error = np.sum((x - y) ** 2) / self.variance
        return -0.5 * (error + len(x) * np.log(2 * np.pi * self.variance))

    def score(self, x, y):
        return (x - y) / self.variance

    def precision(self, W, y):
        return W.T @ W / self.variance + np.eye(W.shape[1])

    def mode(self, W, b, x, mu):
        """The paper's mu' = s^-2 Sigma W^T (x - b), whatever mu is."""
        covariance = np.linalg.inv(self.precision(W, W @ mu + b))
        return covariance @ W.T @ (x - b) / self.variance


class Bernoulli:
    """x|y ~ Bernoulli(sigmoid(y))."""

    def log_prob(self, x, y):
        mean = _sigmoid(y)
        return np.sum(x * np.log(mean) + (1 - x) * np.log(1 - mean))

    def score(self, x, y):
        return x - _sigmoid(y)

    def precision(self, W, y):
        mean = _sigmoid(y)
        return W.T @ np.diag(mean * (1 - mean)) @ W + np.eye(W.shape[1])

    def mode(self, W, b, x, mu):
        """The paper's mu' = Sigma W^T (x - b_t), sigmoid(g) ~ S W z + b_t."""
        mean = _sigmoid(W @ mu + b)
        slope = np.diag(mean * (1 - mean))
        b_t = mean - slope @ W @ mu
        covariance = np.linalg.inv(W.T @ slope @ W + np.eye(W.shape[1]))
        return covariance @ W.T @ (x - b_t)


# A variance whose logarithm is a number in every dtype.
VARIANCE = np.exp(-1.0)
LIKELIHOODS = {"gaussian": Gaussian(VARIANCE), "bernoulli": Bernoulli()}


def laplace(linearize, likelihood, x, mu, T, step=0.5):
    """Algorithm 1 for a batch.

    Args:
        linearize: function z -> (W, b), such as `Network.linearize`.
        likelihood: `Gaussian` or `Bernoulli`.
        x: array of shape `[batch, data]`.
        mu: array of shape `[batch, latent]`.
        T: int.
        step: float. a_t = step / (t + 1).

    Returns:
        The points mu_0 to mu_T, `[T + 1, batch, latent]`, and the
        covariances, `[batch, latent, latent]`.
    """
    paths, covariances = [], []
    for data, point in zip(x, mu, strict=True):
        path = [np.asarray(point, np.float64)]
        for t in range(T):
            W, b = linearize(path[-1])
            rate = step / (t + 1)
            mode = likelihood.mode(W, b, data, path[-1])
            path.append((1 - rate) * path[-1] + rate * mode)
        W, b = linearize(path[-1])
        precision = likelihood.precision(W, W @ path[-1] + b)
        paths.append(path)
        covariances.append(np.linalg.inv(precision))
    return np.swapaxes(paths, 0, 1), np.stack(covariances)


def normal(*shape, seed=0):
    """Normal noise of a shape, the same each time."""
    return np.random.default_rng(seed).normal(size=shape)


def randomize(variables, seed=0, scale=0.6):
    """Draws all of `variables` anew, biases too: at zero they hide errors."""
    rng = np.random.default_rng(seed)
    for variable in variables:
        variable.assign(scale * rng.normal(size=variable.shape))


def _sigmoid(y):
    return 1 / (1 + np.exp(-y))
