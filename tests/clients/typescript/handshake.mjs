// Drives a release of the TypeScript SDK 1, which opens a session with `initialize`.

import { createRequire } from 'node:module';
import {
    PATIENCE, WATCHED, changed, config, converse, drive, elicit, logs, progress, roots, sample, seen, slow, step,
    stray, trigger, updated
} from './seen.mjs';

const require = createRequire(`${config.modules}/`);
const sdk = `sdk-${config.revision}`;
const { Client } = require(`${sdk}/client/index.js`);
const { StdioClientTransport } = require(`${sdk}/client/stdio.js`);
const { StreamableHTTPClientTransport } = require(`${sdk}/client/streamableHttp.js`);
const types = require(`${sdk}/types.js`);

const elicits = 'ElicitRequestSchema' in types;
const capabilities = { sampling: {}, roots: {}, ...(elicits ? { elicitation: {} } : {}) };
const client = new Client({ name: 'tests', version: '1' }, { capabilities });
client.onerror = stray;

client.setRequestHandler(types.CreateMessageRequestSchema, async request => sample(request));
client.setRequestHandler(types.ListRootsRequestSchema, async () => roots());
if (elicits) client.setRequestHandler(types.ElicitRequestSchema, async request => elicit(request));
client.setNotificationHandler(types.LoggingMessageNotificationSchema, note =>
    logs.add([note.params.level, note.params.data]));
client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, note => updated.add(note.params.uri));
client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => changed.add('tools'));
client.setNotificationHandler(types.PromptListChangedNotificationSchema, () => changed.add('prompts'));

// The oldest of these releases does not tell what was agreed on.
const request = client.request.bind(client);
client.request = async (message, ...rest) => {
    const result = await request(message, ...rest);
    if (message.method === 'initialize') seen.revision = result.protocolVersion;
    return result;
};

await drive(async () => {
    const transport = config.url
        ? new StreamableHTTPClientTransport(new URL(config.url))
        : new StdioClientTransport({ command: config.command, args: config.args, env: config.env, cwd: config.cwd });
    await client.connect(transport, { timeout: PATIENCE });
    seen.server = client.getServerVersion().name;
    seen.capabilities = client.getServerCapabilities();
    seen.session = transport.sessionId !== undefined;
    const giveUp = slow((params, options) => client.callTool(params, undefined, options));
    await step('ping', () => client.ping());
    const ended = await giveUp();
    await converse(client);
    await step('sampling', () => client.callTool({ name: 'test_sampling', arguments: { prompt: 'Say something.' } }));
    if (elicits) {
        await step('elicitation', () =>
            client.callTool({ name: 'test_elicitation', arguments: { message: 'Who are you?' } }));
    }
    await step('progress', async () => {
        const onprogress = note => progress.add([note.progress, note.total]);
        await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, undefined, { onprogress });
        return progress.until(3);
    });
    await step('logs', async () => {
        await client.setLoggingLevel('debug');
        await trigger(client, 'test_tool_with_logging');
        return logs.until(3);
    });
    await step('updated', async () => {
        await client.subscribeResource({ uri: WATCHED });
        await trigger(client, 'test_trigger_resource_update');
        const uris = await updated.until(1);
        await client.unsubscribeResource({ uri: WATCHED });
        return uris;
    });
    await step('changed', async () => {
        await trigger(client, 'test_trigger_tool_change');
        await changed.until(1);
        await trigger(client, 'test_trigger_prompt_change');
        return changed.until(2);
    });
    await ended();
    await step('after_cancelling', () => client.callTool({ name: 'greet', arguments: { name: 'Ada' } }));
    if (config.url && transport.terminateSession) await step('terminated', () => transport.terminateSession());
    await client.close();
});
