"""What can be computed of an image."""

# The signature that answers for each quantity.
SIGNATURES = {
    "mean": "encode",
    "covariance": "encode",
    "elbo": "elbo",
    "log_likelihood": "log_likelihood",
    "reconstruction": "serving_default",
    "regret": "regret",
}
# What exports of every revision can answer.
DEFAULT = ("mean", "covariance", "elbo", "log_likelihood", "reconstruction")
# Those that are one number for each image.
SCALARS = ("elbo", "log_likelihood", "regret")
