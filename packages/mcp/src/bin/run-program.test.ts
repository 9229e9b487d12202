import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { createFakeClock } from '@searchgate/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type GatewaySource, given, type Outcome } from '../gateway-source.js';
import { createTools } from '../tools/tools.js';
import { runProgram, serveLines } from './run-program.js';

async function run(argv: readonly string[], environment: Record<string, string> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const ended = runProgram(argv, environment, { stdin, stdout, stderr });
  stdin.end();
  const code = await ended;
  stdout.end();
  stderr.end();
  return { code, stdout: await textOf(stdout), stderr: await textOf(stderr) };
}

it('names the missing variable on stderr', async () => {
  expect(await run([], { SEARCHGATE_URL: 'http://127.0.0.1:1' })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'searchgate-mcp: SEARCHGATE_API_KEY is missing: the key to ask the gateway with.\nsearchgate-mcp --help says more.\n',
  });
});

it('prints its options', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--url'), stderr: '' });
});

it('serves until its input ends, without a call to the gateway', async () => {
  const environment = { SEARCHGATE_URL: 'http://127.0.0.1:1', SEARCHGATE_API_KEY: 'sg_1' };
  expect(await run([], environment)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('ends when its output is closed', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const environment = { SEARCHGATE_URL: 'http://127.0.0.1:1', SEARCHGATE_API_KEY: 'sg_1' };
  const ended = runProgram([], environment, { stdin, stdout, stderr });
  stdout.destroy(new Error('EPIPE'));
  expect(await ended).toBe(0);
});

const ANSWER = { id: 'ans_1', model: 'a/b', provider: 'a', answer: 'Yes.', usage: { cost: 0.01 } };
const YES = expect.stringContaining('>\nYes.\n</');
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const turn = () => new Promise((resolve) => void setImmediate(resolve));

let end: (() => Promise<void>) | undefined;
afterEach(() => end?.());

function start(call: (signal: AbortSignal) => Promise<Outcome<unknown>> = () => Promise.resolve(given(ANSWER))) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const clock = createFakeClock();
  const logged: string[] = [];
  const source = {
    call: (_category: string, _fields: object, signal: AbortSignal) => call(signal),
    models: () => Promise.resolve(given([])),
  } as GatewaySource;
  const log = (text: string) => void logged.push(text);
  const served = serveLines(input, output, { tools: createTools({ defaultModel: 'a/b' }), source, log, clock });
  end = () => {
    input.end();
    return served;
  };
  /** Sends lines, and reads what has been written since. */
  const send = async (...messages: readonly object[]) => {
    for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
    return read();
  };
  const read = async () => {
    await turn();
    await turn();
    const text = ((output.read() as Buffer | null) ?? '').toString();
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown);
  };
  return { input, output, clock, logged, served, send, read };
}

const request = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
const asking = (id: number, meta: object = {}) =>
  request(id, 'tools/call', { name: 'search_answer', arguments: { query: 'Q' }, _meta: meta });

describe('messages as lines', () => {
  it('of old and new versions are answered over one connection', async () => {
    const { send } = start();
    expect(await send(request(1, 'initialize', { protocolVersion: '2025-06-18' }))).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-06-18' } },
    ]);
    expect(await send(request('two', 'server/discover', { _meta: MODERN }), asking(3, MODERN))).toMatchObject([
      { id: 'two', result: { supportedVersions: expect.arrayContaining(['2026-07-28']) } },
      { id: 3, result: { resultType: 'complete', structuredContent: { answer: YES } } },
    ]);
    const unknown = { ...MODERN, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    expect(await send(asking(4, unknown))).toMatchObject([{ id: 4, error: { code: -32_022 } }]);
  });

  it('may arrive in pieces and together, with empty lines between', async () => {
    const { input, read } = start();
    const [one, two] = [JSON.stringify(request(1, 'ping')), JSON.stringify(request(2, 'ping'))];
    input.write(one.slice(0, 10));
    expect(await read()).toEqual([]);
    input.write(`${one.slice(10)}\r\n\n${two}\n`);
    expect(await read()).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: {} })));
  });

  it('with a progress token hear of the progress until the reply', async () => {
    let reply = (_outcome: Outcome<unknown>): void => undefined;
    const { send, read, clock } = start(() => new Promise((resolve) => (reply = resolve)));
    const progressOf = (progress: number) => ({ params: { progressToken: 'p', progress } });
    expect(await send(asking(1, { progressToken: 'p' }))).toMatchObject([progressOf(0)]);
    await clock.advance(10_000);
    expect(await read()).toMatchObject([progressOf(5), progressOf(10)]);
    reply(given(ANSWER));
    expect(await read()).toMatchObject([{ id: 1, result: { structuredContent: { answer: YES } } }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('of an id that is under way are refused, and the first goes on', async () => {
    let reply = (_outcome: Outcome<unknown>): void => undefined;
    const { send, read } = start(() => new Promise((resolve) => (reply = resolve)));
    expect(await send(asking(1), asking(1))).toMatchObject([{ id: 1, error: { code: -32_600 } }]);
    reply(given(ANSWER));
    expect(await read()).toMatchObject([{ id: 1, result: { structuredContent: { answer: YES } } }]);
  });

  it('may cancel a call, which then gets no reply', async () => {
    const signals: AbortSignal[] = [];
    const { send, clock } = start((signal) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(given(ANSWER))));
    });
    expect(await send(asking(1, { progressToken: 1 }))).toHaveLength(1);
    const cancel = (requestId: unknown) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    });
    expect(await send(cancel(2), cancel(1))).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('that are no messages are logged', async () => {
    const { input, logged, send } = start();
    input.write('no JSON\n[]\n{"id":1}\n');
    expect(await send(request(null, 'ping'), request(1, 'ping'))).toMatchObject([{ id: 1, result: {} }]);
    expect(logged).toEqual(Array(4).fill('a line of standard input is not a JSON-RPC message'));
  });

  it('that cannot be repeated are refused', async () => {
    const { send } = start();
    const code = -32_600;
    expect(await send(asking(2 ** 53), asking(1, { progressToken: 2 ** 53 }))).toMatchObject([
      { id: null, error: { code } },
      { id: 1, error: { code } },
    ]);
  });

  it('get an error without its text if a tool has a bug, which is logged', async () => {
    const { send, logged } = start(() => Promise.reject(new TypeError('secret')));
    expect(await send(asking(1))).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'Internal error' } },
    ]);
    expect(logged).toEqual(['an unexpected error: TypeError: secret']);
  });
});

describe('the connection', () => {
  it('ends with its input, and aborts the calls in flight', async () => {
    let isAborted = false;
    const { input, served, send } = start((signal) => {
      return new Promise(() => signal.addEventListener('abort', () => (isAborted = true)));
    });
    await send(asking(1));
    input.end();
    await served;
    expect(isAborted).toBe(true);
  });

  it('ends with a line that is too long', async () => {
    const { input, served, logged } = start();
    for (let part = 0; part < 17; part += 1) input.write('x'.repeat(65_536));
    await served;
    expect(logged).toEqual(['a line of standard input has more than 1048576 characters']);
    expect(input.destroyed).toBe(true);
  });
});
