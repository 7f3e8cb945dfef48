import functools

import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import answers
from tf_vlae import linalg
from tf_vlae.draw import draw_from
from tf_vlae.evaluation import importance
from tf_vlae.layers import LaplacePosterior
from tf_vlae.linearization import Joint
from tf_vlae.models import networks

# Of importance sampling, one for each T and proposal.
_GRAPHS = 4


class Inference:
    """The four parts of a model at work, on images that are read by now.

    All of x is a float tensor of shape `[batch, *image_shape]`, all seeds are
    integer tensors of shape `[2]`, and T is a number of updates of q or None
    for that of the posterior.

    Args:
        encoder: a Keras layer or model.
        decoder: a Keras layer or model.
        likelihood: a `tf_vlae.likelihoods.Likelihood`.
        posterior: a `tf_vlae.posteriors.Posterior`.
    """

    def __init__(self, encoder, decoder, likelihood, posterior):
        self._encoder = encoder
        self._decoder = decoder
        self._likelihood = likelihood
        self._posterior = posterior
        # Graphs hold on to their proposal, so few of them are kept.
        self._graph_for = functools.lru_cache(_GRAPHS)(self._make_graph)
        self._refined = {}

    def joint(self, x):
        """Log p(x, z) as a function of z, a `Joint`."""
        return Joint(self._decoder, self._likelihood, x)

    def posterior(self, x, seed, T=None):
        """The distribution q(z|x)."""
        return self._infer(*self._prepare(x), seed, T)

    def path(self, x, seed, T=None):
        """Means of q after each update, `[updates + 1, batch, latent]`."""
        points = self._posterior.path(*self._prepare(x), seed, **_updates(T))
        return answers.finite("x", "path of q(z|x)", points)[0]

    def elbo_terms(self, x, seed, T=None):
        """Log p(x|z), `[batch]`, and the `Draw` of z."""
        infer_seed, sample_seed = tfp.random.split_seed(seed, n=2)
        encoded, joint = self._prepare(x)
        q = self._infer(encoded, joint, infer_seed, T)
        draw = draw_from(q, sample_seed)
        reconstruction, kl = answers.finite(
            "x", "ELBO", joint.log_likelihood(draw.z), draw.kl
        )
        return reconstruction, draw._replace(kl=kl)

    def training_terms(self, x, seed):
        """The same as training takes it, with the gradient of all of it.

        The networks are in training mode, the decoder in the pass that
        reconstructs: what q(z|x) is made of has it in inference mode, as
        dropout and batch statistics have no Jacobian per example.
        """
        encoded, joint = self._prepare(x, training=True)
        draw = self._posterior.draw(encoded, joint, seed)
        return joint.log_likelihood(draw.z, training=True), draw

    def importance_sample(self, x, num_samples, seed, T=None, proposal=None):
        """The `Estimate` of any number of images, in bounded memory."""
        estimate = functools.partial(self._estimate, T=T, proposal=proposal)
        if tf.executing_eagerly():
            # One graph for any number of images.
            estimate = self._graph_for(T, proposal).get_concrete_function(
                tf.TensorSpec([None, *x.shape[1:]], x.dtype),
                tf.TensorSpec([], num_samples.dtype),
                tf.TensorSpec([2], seed.dtype),
            )

        def some(start):
            fold = tf.random.experimental.stateless_fold_in(seed, start)
            batch = x[start : start + importance.EXAMPLES]
            return estimate(batch, num_samples, fold)

        found = importance.in_batches(some, tf.shape(x)[0], x.dtype)
        log_likelihood, elbo = answers.finite(
            "x", "log-likelihood", found.log_likelihood, found.elbo
        )
        return found._replace(log_likelihood=log_likelihood, elbo=elbo)

    def refined(self, T):
        """The Laplace posterior after T updates, to pass as a `proposal`.

        It is the same object each time, as graphs are traced for each.
        """
        if T not in self._refined:
            layer = LaplacePosterior(
                self._decoder,
                self._likelihood,
                dtype=self._likelihood.dtype_policy,
            )
            self._refined[T] = functools.partial(layer, T=T)
        return self._refined[T]

    def _make_graph(self, T, proposal):
        estimate = functools.partial(self._estimate, T=T, proposal=proposal)
        return tf.function(estimate, autograph=False)

    def _estimate(self, x, num_samples, seed, T, proposal):
        infer_seed, sample_seed = tfp.random.split_seed(seed, n=2)
        encoded, joint = self._prepare(x)
        q = self._infer(encoded, joint, infer_seed, T)
        if proposal is not None:
            q = proposal(self._posterior.mean(q), x)
        return importance.estimate(joint.log_prob, q, num_samples, sample_seed)

    def mean_data(self, z):
        """E[x|z], `[batch, data]`, for z `[batch, latent]`."""
        return self._likelihood.mean(self._outputs(z))

    def sample_data(self, z, seed):
        """A draw of x given z, `[batch, data]`."""
        return self._likelihood.sample(self._outputs(z), seed)

    def _prepare(self, x, training=False):
        """What a posterior is called with."""
        count = self._posterior.encoder_outputs
        encoded = networks.encode(self._encoder, x, count, training)
        return encoded, self.joint(x)

    def _infer(self, encoded, joint, seed, T):
        encoded = answers.finite("x", "encoding", *encoded)
        q = self._posterior(encoded, joint=joint, seed=seed, **_updates(T))
        return answers.finite_posterior(q)

    def _outputs(self, z):
        return linalg.flatten(self._decoder(z, training=False))


def _updates(T):
    # Only posteriors that refine have the argument.
    return {} if T is None else {"T": T}
