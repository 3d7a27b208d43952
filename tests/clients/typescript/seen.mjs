// What a driver has seen, as one JSON object on standard output.

/** How long anything may take that should happen, in milliseconds. */
export const PATIENCE = 20_000;
/** How long the call takes that is cancelled, in seconds. */
export const SLOW = 2;

export const STATIC = 'test://static-text';
export const BINARY = 'test://static-binary';
export const TEMPLATE = 'test://template/123/data';
export const WATCHED = 'test://watched-resource';
export const NOWHERE = 'test://nowhere';

export const TOOLS = {
    test_simple_text: {},
    test_image_content: {},
    test_audio_content: {},
    test_embedded_resource: {},
    test_multiple_content_types: {},
    test_error_handling: {},
    greet: { name: 'Ada' },
    test_custom_header: { value: 'a header' }
};
export const PROMPTS = {
    test_simple_prompt: undefined,
    test_prompt_with_arguments: { arg1: 'one', arg2: 'two' },
    test_prompt_with_embedded_resource: { resourceUri: STATIC },
    test_prompt_with_image: undefined
};

/** How to reach the server, and which release to do it with. */
export const config = JSON.parse(process.argv[2]);

export const seen = {};

/** Does one step; keeps what it returns under its name, or the error it threw. */
export async function step(name, work) {
    try {
        seen[name] = await work();
    } catch (error) {
        seen[name] = said(error);
    }
}

export function said(error) {
    return { error: error?.message ?? String(error), code: error?.code };
}

/** Things that come unasked, and can be waited for. */
export class Arrivals {
    all = [];
    #waiting = new Set();

    add(thing) {
        this.all.push(thing);
        for (const wake of this.#waiting) wake();
    }

    /** Waits until so many have come, and returns them. */
    async until(count) {
        let late = false;
        const timer = setTimeout(() => {
            late = true;
            for (const wake of this.#waiting) wake();
        }, PATIENCE);
        while (this.all.length < count && !late) {
            await new Promise(resolve => {
                const wake = () => {
                    this.#waiting.delete(wake);
                    resolve();
                };
                this.#waiting.add(wake);
            });
        }
        clearTimeout(timer);
        return [...this.all];
    }
}

export const progress = new Arrivals();
export const logs = new Arrivals();
export const updated = new Arrivals();
export const changed = new Arrivals();
/** What the server asked of this client. */
export const asked = {};
/** What the SDK could not make sense of. */
const strays = [];

const FORGOTTEN = 'Received a progress notification for an unknown token: ';

/** What the SDK says through `onerror`. */
export function stray(error) {
    if (error.message.startsWith(FORGOTTEN)) {
        // It handles answers before the notifications that came in the same
        // read, and has forgotten the token by then.
        const { params } = JSON.parse(error.message.slice(FORGOTTEN.length));
        progress.add([params.progress, params.total]);
    } else {
        strays.push(error.message);
    }
}

export function sample(request) {
    asked.sampling = request.params;
    return { role: 'assistant', model: 'a-model', content: { type: 'text', text: "a model's words" } };
}

export function elicit(request) {
    asked.elicitation = request.params;
    const given = { username: 'ada', email: 'ada@example.org', name: 'Ada', color: 'blue', context: 'a context' };
    const wanted = Object.keys(request.params.requestedSchema.properties);
    const content = Object.fromEntries(wanted.filter(key => key in given).map(key => [key, given[key]]));
    return { action: 'accept', content };
}

export function roots() {
    asked.roots = true;
    return { roots: [{ uri: 'file:///somewhere/of/mine', name: 'mine' }] };
}

const names = (list, key) => list.map(item => item[key]);

/** The part of the conversation that all releases have. */
export async function converse(client) {
    await step('tools', async () => names((await client.listTools()).tools, 'name'));
    await step('resources', async () => names((await client.listResources()).resources, 'uri'));
    await step('templates', async () =>
        names((await client.listResourceTemplates()).resourceTemplates, 'uriTemplate'));
    await step('prompts', async () => names((await client.listPrompts()).prompts, 'name'));
    for (const [name, args] of Object.entries(TOOLS)) {
        await step(`call ${name}`, () => client.callTool({ name, arguments: args }));
    }
    for (const uri of [STATIC, BINARY, TEMPLATE, NOWHERE]) {
        await step(`read ${uri}`, () => client.readResource({ uri }));
    }
    for (const [name, args] of Object.entries(PROMPTS)) {
        await step(`prompt ${name}`, () => client.getPrompt({ name, arguments: args }));
    }
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
    await step('completion', () => client.complete({ ref, argument: { name: 'arg1', value: 't' } }));
    await step('roots', () => client.callTool({ name: 'test_input_required_result_list_roots', arguments: {} }));
}

/** Calls a tool whose effect is a notification. */
export const trigger = (client, name) => client.callTool({ name, arguments: {} });

/** Begins a call that takes long; the function that is returned gives it up,
 *  and the promise that returns is kept once it would have ended. */
export function slow(begin) {
    const controller = new AbortController();
    const wouldEnd = Date.now() + SLOW * 1000 + 500;
    const params = { name: 'slow_compute', arguments: { seconds: SLOW, label: 'x' } };
    const outcome = begin(params, { signal: controller.signal }).then(
        answer => (seen.cancelled = answer),
        error => (seen['given up'] = said(error))
    );
    return async () => {
        controller.abort('enough');
        await outcome;
        return () => new Promise(resolve => setTimeout(resolve, Math.max(0, wouldEnd - Date.now())));
    };
}

/** Runs a driver and prints what it has seen. */
export async function drive(run) {
    const late = setTimeout(() => finish({ error: 'it takes too long' }), 2.5 * PATIENCE);
    try {
        await run();
        clearTimeout(late);
        finish();
    } catch (error) {
        finish(said(error));
    }
}

function finish(failed) {
    if (failed) seen.failed = failed;
    seen.asked = asked;
    seen.strays = strays;
    process.stdout.write(JSON.stringify(seen) + '\n', () => process.exit(0));
}
