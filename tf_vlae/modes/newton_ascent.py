import tensorflow as tf

from tf_vlae import validation
from tf_vlae.configurable import Configurable
from tf_vlae.solvers import CholeskySolver

# Shares of a Newton step that are tried, all in one pass of the decoder.
_SHARES = [2.0**-k for k in range(10)]


class NewtonAscent(Configurable):
    """As many Newton steps as each example needs: what `T="auto"` does.

    Of the step d = Lambda^-1 g and of its halves, quarters and so on, each
    example takes the one with the largest log p(x, z), if that is larger than
    before. It ends where the squared length of d in the metric of q,

    ```
    g^T Lambda^-1 g = d^T Lambda d   (the Newton decrement, squared)
    ```

    is below `tolerance`, or where no share of d leads up. The latter is what
    happens at a kink of a ReLU decoder, where the gradient jumps past zero.

    Unlike the T damped updates of a `ModeSeeker`, whose steps shrink whatever
    they find, this never goes down and ends at a mode. It is not for training:
    the points are constants to a gradient.

    Args:
        tolerance: float. `d^T Lambda d` at which an example is done. The mean
            is then about sqrt(tolerance) posterior deviations from the mode,
            which costs tolerance / 2 nats of ELBO.
        most: int. Largest number of steps.

    Reference:

    - [Boyd and Vandenberghe, 2004](https://web.stanford.edu/~boyd/cvxbook/),
      section 9.5
    """

    def __init__(self, tolerance=1e-3, most=100):
        self.tolerance = validation.positive("tolerance", tolerance)
        self.most = validation.integer("most", most, 1)

    def path(self, joint, mu):
        """The points from the guess to the mode.

        Args:
            joint: a `Joint`, log p(x, z) as a function of z.
            mu: tensor of shape `[batch, latent]`, the guess.

        Returns:
            A tensor of shape `[steps + 1, batch, latent]`, with as many steps
            as the slowest example took. The others stay where they ended.
        """
        mu = tf.stop_gradient(mu)
        shares = tf.constant(_SHARES, mu.dtype)[:, None, None]
        points = tf.TensorArray(
            mu.dtype, 1, dynamic_size=True, element_shape=mu.shape
        )
        # Before the loop: what depends on the weights alone is kept there.
        step, goes_on = self._step(joint, mu)

        def body(t, z, value, step, goes_on, points):
            tried = z + shares * step
            found = joint.log_prob(tried)
            found = tf.where(tf.math.is_nan(found), found.dtype.min, found)
            best = tf.argmax(found, axis=0, output_type=tf.int32)
            highest = tf.reduce_max(found, axis=0)
            rises = goes_on & (highest > value)
            rows = tf.stack([best, tf.range(tf.shape(best)[0])], axis=-1)
            z = tf.where(rises[:, None], tf.gather_nd(tried, rows), z)
            value = tf.where(rises, highest, value)
            step, far = self._step(joint, z)
            return t + 1, z, value, step, rises & far, points.write(t + 1, z)

        *_, points = tf.while_loop(
            lambda t, z, value, step, goes_on, points: tf.reduce_any(goes_on),
            body,
            (0, mu, joint.log_prob(mu), step, goes_on, points.write(0, mu)),
            maximum_iterations=self.most,
            parallel_iterations=1,
        )
        return tf.stop_gradient(points.stack())

    def _step(self, joint, z):
        """The Newton step at z, and whether it is longer than tolerated."""
        view = joint.at(z)
        gradient = view.gradient()
        step = CholeskySolver().prepare(view)(gradient)
        return step, tf.reduce_sum(gradient * step, -1) > self.tolerance
