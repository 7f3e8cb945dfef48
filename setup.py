import re
from pathlib import Path

from setuptools import find_packages
from setuptools import setup

ROOT = Path(__file__).parent
VERSION = re.search(
    r'__version__ = "(.+)"', (ROOT / "tf_vlae/version.py").read_text()
).group(1)

# All bounds are versions that the tests were run with: requirements_lock.txt
# has the newest, and `.ci/run --lowest` takes the lowest.
REQUIRED = [
    "absl-py>=2.1,<3",
    # tensorflow-datasets imports it to download, without requiring it.
    "importlib_resources>=6.4",
    "keras>=3.12,<3.16",
    "tensorflow>=2.20,<2.22",
    "tensorflow-datasets>=4.9.9,<4.10",
    "tensorflow-probability[tf]>=0.25,<0.26",
]
# Messages of TensorFlow Serving: warm-up requests, and clients.
SERVING = ["tensorflow-serving-api>=2.20,<2.22"]
TRAINERS = [
    *SERVING,
    "matplotlib>=3.11,<4",
    # It ships the digits.
    "scikit-learn>=1.9,<2",
    # tf.summary needs it; tensorflow does not require it any more.
    "tensorboard>=2.20,<2.22",
    # What it takes to prepare SVHN from its original files.
    "tensorflow-datasets[svhn]",
    "tqdm>=4.70,<5",
]
# For trainers/score.py. It brings pyarrow.
BEAM = ["apache-beam>=2.77,<3"]
TEST = [
    *TRAINERS,
    *BEAM,
    "hypothesis>=6.170,<7",
    "markdown-it-py>=4.2,<5",
    "packaging>=26",
    "pytest>=9.2,<10",
    "pytest-xdist>=3.8,<4",
    "ruff>=0.17.4,<0.18",
    # Python has none of its own from 3.12 on.
    "setuptools>=65",
    "wheel>=0.48",
]

# Code, which stays as it is, or a link or image that is not an absolute one.
_CODE_OR_LINK = re.compile(
    r"^```.*?^```"
    r"|^    .*?$"
    r"|`[^`\n]+`"
    r"|!?\[(?P<text>[^]]*)\]\((?!https?:)(?P<file>[^)#]*)(?:#[^)]*)?\)",
    re.DOTALL | re.MULTILINE,
)


def without_relative_links(markdown):
    """Text for a package index, where only absolute links lead anywhere.

    `[how](docs/inference.md#why)` becomes `how (docs/inference.md)`, also for
    images, and `[docs/speed.md](docs/speed.md)` and `[speed](#speed)` become
    their text.

    Args:
        markdown: str. The text of a file in the project's root.

    Returns:
        A str.
    """

    def plain(match):
        text, file = match["text"], match["file"]
        if text is None:
            return match[0]
        return f"{text} ({file})" if file not in ("", text) else text

    return _CODE_OR_LINK.sub(plain, markdown)


if __name__ == "__main__":
    setup(
        name="tf_vlae",
        version=VERSION,
        description="Variational Laplace Autoencoders for TensorFlow and Keras",
        long_description=without_relative_links(
            (ROOT / "README.md").read_text()
        ),
        long_description_content_type="text/markdown",
        license="Apache-2.0",
        license_files=["LICENSE"],
        project_urls={"Paper": "https://arxiv.org/abs/2211.17267"},
        keywords=[
            "amortized inference",
            "keras",
            "laplace approximation",
            "tensorflow",
            "vae",
            "variational autoencoder",
        ],
        classifiers=[
            "Development Status :: 4 - Beta",
            "Intended Audience :: Developers",
            "Intended Audience :: Science/Research",
            "Operating System :: POSIX :: Linux",
            "Programming Language :: Python :: 3",
            "Programming Language :: Python :: 3.11",
            "Topic :: Scientific/Engineering :: Artificial Intelligence",
        ],
        python_requires=">=3.11",
        # The library alone. The source distribution has the rest: MANIFEST.in.
        packages=find_packages(include=["tf_vlae", "tf_vlae.*"]),
        package_data={"tf_vlae": ["py.typed"]},
        include_package_data=False,
        install_requires=REQUIRED,
        extras_require={
            "serving": SERVING,
            "trainers": TRAINERS,
            "beam": BEAM,
            "test": TEST,
        },
    )
