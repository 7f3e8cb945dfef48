"""A mark for models so tiny that their posterior may become the prior."""

import pytest

# Which of them does depends on the machine, as the last bits of training do.
may_collapse = pytest.mark.filterwarnings("ignore:The KL term of epoch")
