import type { Readable, Writable } from 'node:stream';
import type { ExtensionRequest, JsonObject } from '@searchgate/core/extensions';
import { failureReply, isObject, ProtocolError, type RequestId, type RpcRequest, readRequest } from '../json-rpc.js';
import { progressTokenOf, reportProgress } from '../report-progress.js';
import { resultOf, type Serving } from '../tool-server.js';
import { createTools } from '../tools/tools.js';
import { isModern } from '../versions.js';
import { readCommand } from './read-command.js';
import { remoteSource } from './remote-source.js';

/** Runs `searchgate-mcp` until its standard input ends. @returns the exit code: 2 if it could not start. */
export async function runProgram(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> {
  const command = readCommand(argv, environment);
  if (command.kind === 'serve') {
    const log = (text: string) => void terminal.stderr.write(`searchgate-mcp: ${text}\n`);
    const source = remoteSource(command, { log });
    const serving = { tools: createTools(command.models), source, log, clock: TIMERS };
    await serveLines(terminal.stdin, terminal.stdout, serving);
    return 0;
  }
  const isAnswer = command.kind === 'print';
  (isAnswer ? terminal.stdout : terminal.stderr).write(`${command.text}\n`);
  return isAnswer ? 0 : 2;
}

const TIMERS: LineServing['clock'] = {
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The streams of a program. */
interface Terminal {
  readonly stdin: Readable;
  /** Carries only the protocol while serving. */
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface LineServing extends Pick<Serving, 'tools' | 'source'> {
  /** Gets failures that the operator should know. */
  readonly log: (text: string) => void;
  readonly clock: Pick<ExtensionRequest['clock'], 'schedule'>;
}

/** Longest line: a gateway refuses far shorter bodies. */
const MAX_LINE_CHARACTERS = 1_048_576;

/** Serves one JSON-RPC message a line, until the input ends, the output is closed, or a line is too long. Calls in flight are aborted then. */
export async function serveLines(input: Readable, output: Writable, serving: LineServing): Promise<void> {
  const running = new Map<RequestId, AbortController>();
  const send = (message: JsonObject): unknown => output.write(`${JSON.stringify(message)}\n`);
  await new Promise<void>((resolve) => {
    let rest = '';
    input.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') receive(line, { running, send, serving });
      if (rest.length <= MAX_LINE_CHARACTERS) return;
      serving.log(`a line of standard input has more than ${MAX_LINE_CHARACTERS} characters`);
      resolve();
    });
    input.once('end', resolve).once('close', resolve);
    output.on('error', () => resolve());
  });
  input.destroy();
  for (const call of running.values()) call.abort();
}

interface Connection {
  /** The requests in flight. */
  readonly running: Map<RequestId, AbortController>;
  readonly send: (message: JsonObject) => unknown;
  readonly serving: LineServing;
}

function receive(line: string, connection: Connection): void {
  const { running, send, serving } = connection;
  let message: JsonObject = {};
  try {
    const parsed: unknown = JSON.parse(line);
    if (isObject(parsed)) message = parsed;
    const request = readRequest(message);
    const { method, params } = message;
    if (request !== null) void answer(request, connection);
    else if (method === 'notifications/cancelled' && isObject(params))
      running.get(params['requestId'] as RequestId)?.abort();
  } catch (error) {
    serving.log('a line of standard input is not a JSON-RPC message');
    // Its client waits for a reply.
    if (typeof message['id'] === 'number' && typeof message['method'] === 'string') send(failureReply(null, error));
  }
}

const REPEATED_ID = new ProtocolError('invalidRequest', 'The id belongs to a request under way.');

/** Sends nothing for a request that was canceled. */
async function answer(request: RpcRequest, { running, send, serving }: Connection): Promise<void> {
  const { id } = request;
  if (running.has(id)) return void send(failureReply(id, REPEATED_ID));
  const call = new AbortController();
  running.set(id, call);
  const notify = (message: JsonObject) => void (call.signal.aborted || send(message));
  let stop = (): void => undefined;
  try {
    const token = progressTokenOf(request);
    if (token !== undefined) stop = reportProgress(token, serving.clock, notify);
    const result = await resultOf(request, { ...serving, signal: call.signal, isModern: isModern(request, undefined) });
    notify({ jsonrpc: '2.0', id, result });
  } catch (error) {
    if (!(error instanceof ProtocolError)) serving.log(`an unexpected error: ${String(error)}`);
    notify(failureReply(id, error));
  } finally {
    stop();
    if (running.get(id) === call) running.delete(id);
  }
}
