// Drives the TypeScript SDK 2, which speaks revision 2026-07-28.

import { createRequire } from 'node:module';
import {
    PATIENCE, WATCHED, changed, config, converse, drive, elicit, logs, progress, roots, sample, seen, slow, step,
    stray, trigger, updated
} from './seen.mjs';

const require = createRequire(`${config.modules}/`);
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const client = new Client(
    { name: 'tests', version: '1' },
    {
        capabilities: { sampling: {}, roots: {}, elicitation: {} },
        versionNegotiation: { mode: { pin: config.revision } }
    }
);
client.onerror = stray;

client.setRequestHandler('sampling/createMessage', async request => sample(request));
client.setRequestHandler('roots/list', async () => roots());
client.setRequestHandler('elicitation/create', async request => elicit(request));
client.setNotificationHandler('notifications/message', note => logs.add([note.params.level, note.params.data]));
client.setNotificationHandler('notifications/resources/updated', note => updated.add(note.params.uri));
client.setNotificationHandler('notifications/tools/list_changed', () => changed.add('tools'));
client.setNotificationHandler('notifications/prompts/list_changed', () => changed.add('prompts'));

await drive(async () => {
    const transport = config.url
        ? new StreamableHTTPClientTransport(new URL(config.url))
        : new StdioClientTransport({ command: config.command, args: config.args, env: config.env, cwd: config.cwd });
    await client.connect(transport, { timeout: PATIENCE });
    seen.revision = client.getNegotiatedProtocolVersion();
    seen.server = client.getServerVersion().name;
    seen.capabilities = client.getServerCapabilities();
    seen.session = transport.sessionId !== undefined;
    const giveUp = slow((params, options) => client.callTool(params, options));
    await step('discover', async () => (await client.discover()).supportedVersions);
    const ended = await giveUp();
    await converse(client);
    await step('sampling', () => trigger(client, 'test_input_required_result_sampling'));
    await step('elicitation', () => trigger(client, 'test_input_required_result_elicitation'));
    await step('rounds', () => trigger(client, 'test_input_required_result_multi_round'));
    await step('prompt asks', () => client.getPrompt({ name: 'test_input_required_result_prompt' }));
    await step('progress', async () => {
        const onprogress = note => progress.add([note.progress, note.total]);
        await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress });
        return progress.until(3);
    });
    await step('logs', async () => {
        const _meta = { 'io.modelcontextprotocol/logLevel': 'debug' };
        await client.callTool({ name: 'test_logging_tool', arguments: {}, _meta });
        return logs.until(1);
    });
    await step('updated', async () => {
        const subscription = await client.listen({ resourceSubscriptions: [WATCHED] });
        await trigger(client, 'test_trigger_resource_update');
        const uris = await updated.until(1);
        await subscription.close();
        return uris;
    });
    await step('changed', async () => {
        const subscription = await client.listen({ toolsListChanged: true, promptsListChanged: true });
        await trigger(client, 'test_trigger_tool_change');
        await changed.until(1);
        await trigger(client, 'test_trigger_prompt_change');
        const all = await changed.until(2);
        await subscription.close();
        return all;
    });
    await ended();
    await step('after_cancelling', () => client.callTool({ name: 'greet', arguments: { name: 'Ada' } }));
    await client.close();
});
