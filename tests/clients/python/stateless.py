"""Drives the Python SDK 2, which speaks revision 2026-07-28."""

import time
from importlib.metadata import version

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

from seen import (
    BINARY, NOWHERE, PATIENCE, PROMPTS, SLOW, STATIC, TEMPLATE, TOOLS, WATCHED,
    Arrivals, Seen, config, deadline, flat, plain, said,
)


class Driver:
    def __init__(self):
        self.seen = Seen(client=f"mcp {version('mcp')}")
        self.logs, self.progress = Arrivals(), Arrivals()
        self.asked = {}
        self.strays = []

    async def message(self, message):
        if isinstance(message, Exception):
            self.strays.append(str(message))

    async def log(self, params):
        self.logs.add([params.level, params.data])

    async def advance(self, progress, total, message):
        self.progress.add([progress, total])

    async def sample(self, context, params):
        self.asked["sampling"] = plain(params)
        text = types.TextContent(type="text", text="a model's words")
        return types.CreateMessageResult(role="assistant", content=text, model="a-model")

    async def elicit(self, context, params):
        self.asked["elicitation"] = plain(params)
        wanted = plain(params)["requestedSchema"]["properties"]
        given = {"name": "Ada", "color": "blue", "context": "a context"}
        content = {key: given[key] for key in wanted if key in given}
        return types.ElicitResult(action="accept", content=content)

    async def roots(self, context):
        self.asked["roots"] = True
        root = types.Root(uri="file:///somewhere/of/mine", name="mine")
        return types.ListRootsResult(roots=[root])

    async def run(self, target):
        if "url" in target:
            server = target["url"]
        else:
            server = StdioServerParameters(
                command=target["command"], args=target["args"], env=target["env"], cwd=target["cwd"]
            )
        client = Client(
            server,
            read_timeout_seconds=PATIENCE,
            sampling_callback=self.sample,
            elicitation_callback=self.elicit,
            list_roots_callback=self.roots,
            logging_callback=self.log,
            log_level="debug",
            message_handler=self.message,
        )
        async with client:
            self.seen["revision"] = client.protocol_version
            self.seen["server"] = client.server_info.name
            self.seen["capabilities"] = plain(client.server_capabilities)
            async with anyio.create_task_group() as group:
                would_end = deadline()
                given_up = anyio.CancelScope()
                group.start_soon(self.give_up, client, given_up)
                await self.converse(client, given_up)
                await anyio.sleep(max(0, would_end - time.monotonic()))
            await self.seen.step("after_cancelling", self.call(client, "greet", {"name": "Ada"}))
        self.seen["asked"] = self.asked
        self.seen["strays"] = self.strays

    async def give_up(self, client, scope):
        with scope:
            await self.seen.step("cancelled", self.call(client, "slow_compute", {"seconds": SLOW, "label": "x"}))

    async def call(self, client, name, arguments):
        return plain(await client.call_tool(name, arguments))

    async def converse(self, client, given_up):
        step = self.seen.step
        await step("tools", self.names(client.list_tools(), "tools", "name"))
        given_up.cancel()
        await step("resources", self.names(client.list_resources(), "resources", "uri"))
        await step("templates", self.names(client.list_resource_templates(), "resourceTemplates", "uriTemplate"))
        await step("prompts", self.names(client.list_prompts(), "prompts", "name"))
        for name, arguments in TOOLS.items():
            await step(f"call {name}", self.call(client, name, arguments))
        for uri in (STATIC, BINARY, TEMPLATE, NOWHERE):
            await step(f"read {uri}", self.as_json(client.read_resource(uri)))
        for name, arguments in PROMPTS.items():
            await step(f"prompt {name}", self.as_json(client.get_prompt(name, arguments)))
        reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        await step("completion", self.as_json(client.complete(reference, {"name": "arg1", "value": "t"})))
        await step("sampling", self.call(client, "test_input_required_result_sampling", {}))
        await step("elicitation", self.call(client, "test_input_required_result_elicitation", {}))
        await step("roots", self.call(client, "test_input_required_result_list_roots", {}))
        await step("rounds", self.call(client, "test_input_required_result_multi_round", {}))
        await step("prompt asks", self.as_json(client.get_prompt("test_input_required_result_prompt")))
        await step("progress", self.watch_progress(client))
        await step("logs", self.watch_logs(client))
        await step("updated", self.watch_resource(client))
        await step("changed", self.watch_lists(client))

    async def as_json(self, work):
        return plain(await work)

    async def names(self, work, kind, key):
        return [str(item[key]) for item in plain(await work)[kind]]

    async def watch_progress(self, client):
        await client.call_tool("test_tool_with_progress", {}, progress_callback=self.advance)
        return await self.progress.until(3)

    async def watch_logs(self, client):
        await self.call(client, "test_logging_tool", {})
        return await self.logs.until(1)

    async def watch_resource(self, client):
        async with client.listen(resource_subscriptions=[WATCHED]) as subscription:
            await self.call(client, "test_trigger_resource_update", {})
            return [(await anext(subscription)).uri]

    async def watch_lists(self, client):
        async with client.listen(tools_list_changed=True, prompts_list_changed=True) as subscription:
            changed = []
            kinds = {"ToolsListChanged": "tools", "PromptsListChanged": "prompts"}
            for tool in ("test_trigger_tool_change", "test_trigger_prompt_change"):
                await self.call(client, tool, {})
                changed.append(kinds[type(await anext(subscription)).__name__])
            return changed


async def main():
    driver = Driver()
    try:
        with anyio.fail_after(2.5 * PATIENCE):
            await driver.run(config())
    except BaseException as error:
        driver.seen["failed"] = said(flat(error))
    driver.seen.tell()


anyio.run(main)
