"""What the error for a bad argument has to say."""

import contextlib
import re

import pytest


@contextlib.contextmanager
def invalid(name, received=""):
    """Expects an error that names the argument, what is right, what came."""
    with pytest.raises(ValueError, match=f"argument `{name}`") as caught:
        yield
    message = str(caught.value)
    pattern = rf"Expected .+\. Received: {name}=.*{re.escape(str(received))}"
    assert re.search(pattern, message), message
    # Not the words of the runtime.
    for noise in ("{{node", "Graph execution error", "[Op:", '\\"', "] ["):
        assert noise not in message, message
