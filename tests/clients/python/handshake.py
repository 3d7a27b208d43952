"""Drives a release of the Python SDK that opens a session with `initialize`."""

import inspect
import sys
import time
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.metadata import version

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl

from seen import (
    BINARY, NOWHERE, PATIENCE, PROMPTS, SLOW, STATIC, TEMPLATE, TOOLS, WATCHED,
    Arrivals, Seen, config, deadline, flat, plain, said,
)


@asynccontextmanager
async def streams(target):
    """The transport to the server, whichever it is."""
    if "url" in target:
        from mcp.client.streamable_http import streamablehttp_client

        async with streamablehttp_client(target["url"]) as (read, write, session_id):
            yield read, write, session_id
    else:
        server = StdioServerParameters(
            command=target["command"], args=target["args"], env=target["env"], cwd=target["cwd"]
        )
        async with stdio_client(server) as (read, write):
            yield read, write, lambda: None


class Driver:
    def __init__(self):
        self.seen = Seen(client=f"mcp {version('mcp')}")
        self.logs, self.progress = Arrivals(), Arrivals()
        self.updated, self.changed = Arrivals(), Arrivals()
        self.asked = {}
        # What the SDK could not make sense of, such as an answer to a call
        # that it has given up.
        self.strays = []

    async def message(self, message):
        if isinstance(message, Exception):
            self.strays.append(str(message))
        elif isinstance(message, types.ServerNotification):
            self.notified(message.root)

    def notified(self, note):
        if isinstance(note, types.ResourceUpdatedNotification):
            self.updated.add(str(note.params.uri))
        elif isinstance(note, types.ProgressNotification):
            self.progress.add([note.params.progress, note.params.total])
        elif isinstance(note, types.ToolListChangedNotification):
            self.changed.add("tools")
        elif isinstance(note, types.PromptListChangedNotification):
            self.changed.add("prompts")

    async def log(self, params):
        self.logs.add([params.level, params.data])

    async def sample(self, context, params):
        self.asked["sampling"] = plain(params)
        text = types.TextContent(type="text", text="a model's words")
        return types.CreateMessageResult(role="assistant", content=text, model="a-model")

    async def elicit(self, context, params):
        self.asked["elicitation"] = plain(params)
        wanted = plain(params)["requestedSchema"]["properties"]
        given = {"username": "ada", "email": "ada@example.org"}
        content = {key: given[key] for key in wanted if key in given}
        return types.ElicitResult(action="accept", content=content)

    async def roots(self, context):
        self.asked["roots"] = True
        root = types.Root(uri="file:///somewhere/of/mine", name="mine")
        return types.ListRootsResult(roots=[root])

    def callbacks(self):
        """Those that this release knows."""
        known = inspect.signature(ClientSession.__init__).parameters
        callbacks = {
            "sampling_callback": self.sample,
            "elicitation_callback": self.elicit,
            "list_roots_callback": self.roots,
            "logging_callback": self.log,
            "message_handler": self.message,
        }
        return {name: call for name, call in callbacks.items() if name in known}

    async def run(self, target):
        patience = timedelta(seconds=PATIENCE)
        async with streams(target) as (read, write, session_id):
            async with ClientSession(read, write, patience, **self.callbacks()) as session:
                opened = await session.initialize()
                self.seen["revision"] = opened.protocolVersion
                self.seen["server"] = opened.serverInfo.name
                self.seen["capabilities"] = plain(opened.capabilities)
                self.seen["session"] = session_id() is not None
                async with anyio.create_task_group() as group:
                    would_end = await self.give_up(session, group)
                    await self.converse(session)
                    await anyio.sleep(max(0, would_end - time.monotonic()))
                    group.cancel_scope.cancel()
                await self.seen.step("after_cancelling", self.call(session, "greet", {"name": "Ada"}))
        self.seen["asked"] = self.asked
        self.seen["strays"] = self.strays

    async def give_up(self, session, group):
        """Cancels a call that runs; returns when it would have ended."""
        would_end = deadline()
        number = session._request_id
        outcome = self.seen.step("cancelled", self.call(session, "slow_compute", {"seconds": SLOW, "label": "x"}))
        group.start_soon(lambda: outcome)
        while session._request_id == number:
            await anyio.sleep(0)
        # Requests of HTTP are not in order; what is answered came after the call.
        await self.seen.step("ping", self.as_json(session.send_ping()))
        # These releases have no other way.
        params = types.CancelledNotificationParams(requestId=number, reason="enough")
        note = types.CancelledNotification(method="notifications/cancelled", params=params)
        await session.send_notification(types.ClientNotification(note))
        return would_end

    async def call(self, session, name, arguments):
        return plain(await session.call_tool(name, arguments))

    async def converse(self, session):
        step = self.seen.step
        await step("tools", self.names(session.list_tools(), "tools", "name"))
        await step("resources", self.names(session.list_resources(), "resources", "uri"))
        await step("templates", self.names(session.list_resource_templates(), "resourceTemplates", "uriTemplate"))
        await step("prompts", self.names(session.list_prompts(), "prompts", "name"))
        for name, arguments in TOOLS.items():
            await step(f"call {name}", self.call(session, name, arguments))
        for uri in (STATIC, BINARY, TEMPLATE, NOWHERE):
            await step(f"read {uri}", self.as_json(session.read_resource(AnyUrl(uri))))
        for name, arguments in PROMPTS.items():
            await step(f"prompt {name}", self.as_json(session.get_prompt(name, arguments)))
        reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        await step("completion", self.as_json(session.complete(reference, {"name": "arg1", "value": "t"})))
        await step("sampling", self.call(session, "test_sampling", {"prompt": "Say something."}))
        if "elicitation_callback" in self.callbacks():
            await step("elicitation", self.call(session, "test_elicitation", {"message": "Who are you?"}))
        await step("roots", self.call(session, "test_input_required_result_list_roots", {}))
        await step("progress", self.watch_progress(session))
        await step("logs", self.watch_logs(session))
        await step("updated", self.watch_resource(session))
        await step("changed", self.watch_lists(session))

    async def as_json(self, work):
        return plain(await work)

    async def names(self, work, kind, key):
        return [str(item[key]) for item in plain(await work)[kind]]

    async def watch_progress(self, session):
        # With a token of our own: the oldest of these releases has no argument for it.
        meta = types.RequestParams.Meta(progressToken="mine")
        params = types.CallToolRequestParams(name="test_tool_with_progress", arguments={}, _meta=meta)
        request = types.CallToolRequest(method="tools/call", params=params)
        await session.send_request(types.ClientRequest(request), types.CallToolResult)
        return await self.progress.until(3)

    async def watch_logs(self, session):
        await session.set_logging_level("debug")
        await self.call(session, "test_tool_with_logging", {})
        return await self.logs.until(3)

    async def watch_resource(self, session):
        await session.subscribe_resource(AnyUrl(WATCHED))
        await self.call(session, "test_trigger_resource_update", {})
        seen = list(await self.updated.until(1))
        await session.unsubscribe_resource(AnyUrl(WATCHED))
        return seen

    async def watch_lists(self, session):
        await self.call(session, "test_trigger_tool_change", {})
        await self.changed.until(1)
        await self.call(session, "test_trigger_prompt_change", {})
        return await self.changed.until(2)


async def main():
    driver = Driver()
    try:
        with anyio.fail_after(2.5 * PATIENCE):
            await driver.run(config())
    except BaseException as error:
        driver.seen["failed"] = said(flat(error))
    driver.seen.tell()


anyio.run(main)
sys.exit(0)
