import re
from pathlib import Path

from setuptools import find_packages
from setuptools import setup

ROOT = Path(__file__).parent
VERSION = re.search(
    r'__version__ = "(.+)"', (ROOT / "tf_vlae/__init__.py").read_text()
).group(1)

BEAM = "apache-beam>=2.77,<3"

setup(
    name="tf_vlae",
    version=VERSION,
    description="Variational Laplace Autoencoders for TensorFlow and Keras",
    long_description=(ROOT / "README.md").read_text(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_packages(include=["tf_vlae", "tf_vlae.*"]),
    python_requires=">=3.11",
    # The bounds are the versions that the tests were run with.
    install_requires=[
        "absl-py>=2.5,<3",
        # tensorflow-datasets imports it without requiring it.
        "importlib_resources>=7.1",
        "keras>=3.15,<3.16",
        # The plots of the trainers.
        "matplotlib>=3.11,<4",
        # The digits data set ships inside its package.
        "scikit-learn>=1.9,<2",
        # No longer required by tensorflow itself.
        "tensorboard>=2.21,<2.22",
        "tensorflow>=2.21,<2.22",
        "tensorflow-datasets>=4.9.10,<4.10",
        "tensorflow-probability[tf]>=0.25,<0.26",
        # Its messages: warm-up requests of exported models, and clients.
        "tensorflow-serving-api>=2.21,<2.22",
    ],
    extras_require={
        # trainers/score.py; it brings pyarrow.
        "beam": [BEAM],
        "test": [
            BEAM,
            "hypothesis>=6.170,<7",
            "pytest>=9.2,<10",
            "pytest-xdist>=3.8,<4",
            "ruff>=0.17.4,<0.18",
        ],
    },
)
