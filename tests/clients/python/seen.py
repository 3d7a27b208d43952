"""What a driver has seen, as one JSON object on standard output."""

import json
import sys
import time

# How long anything may take that should happen.
PATIENCE = 20
# How long the call takes that is cancelled.
SLOW = 2

STATIC = "test://static-text"
BINARY = "test://static-binary"
TEMPLATE = "test://template/123/data"
WATCHED = "test://watched-resource"
NOWHERE = "test://nowhere"

TOOLS = {
    "test_simple_text": {},
    "test_image_content": {},
    "test_audio_content": {},
    "test_embedded_resource": {},
    "test_multiple_content_types": {},
    "test_error_handling": {},
    "greet": {"name": "Ada"},
    "test_custom_header": {"value": "a header"},
}
PROMPTS = {
    "test_simple_prompt": None,
    "test_prompt_with_arguments": {"arg1": "one", "arg2": "two"},
    "test_prompt_with_embedded_resource": {"resourceUri": STATIC},
    "test_prompt_with_image": None,
}


def config():
    """How to reach the server: `url`, or `command`, `args`, `env` and `cwd`."""
    return json.loads(sys.argv[1])


def plain(model):
    """A pydantic model as it was on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Seen(dict):
    """A dictionary in which each step's outcome is kept under its name."""

    async def step(self, name, work):
        """Awaits `work`; keeps what it returns, or the error it raised."""
        try:
            self[name] = await work
        except Exception as error:  # what a user would see of it
            self[name] = said(error)

    def tell(self):
        """Prints all of it."""
        print(json.dumps(self))


def said(error):
    """An error, with its code where it is one of the protocol."""
    error = flat(error)
    inner = getattr(error, "error", None)
    if hasattr(inner, "code"):
        return {"error": inner.message, "code": inner.code}
    return {"error": f"{type(error).__name__}: {error}"}


def flat(error):
    """The first error in a group, which says what went wrong."""
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    return error


class Arrivals:
    """Things that come unasked, and can be waited for."""

    def __init__(self):
        import anyio

        self.anyio = anyio
        self.all = []
        self.changed = anyio.Event()

    def add(self, thing):
        self.all.append(thing)
        self.changed.set()
        self.changed = self.anyio.Event()

    async def until(self, count):
        """Waits until so many have come, and returns them."""
        with self.anyio.move_on_after(PATIENCE):
            while len(self.all) < count:
                await self.changed.wait()
        return self.all


def deadline():
    """When a call that begins now would have ended."""
    return time.monotonic() + SLOW + 0.5
