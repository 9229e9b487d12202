import type { Readable, Writable } from 'node:stream';
import type { ExtensionRequest, JsonObject } from '@searchgate/core/extensions';
import {
  errorReply,
  INTERNAL_ERROR,
  isObject,
  ProtocolError,
  type RequestId,
  type RpcRequest,
  readRequest,
} from '../json-rpc.js';
import { progressTokenOf, reportProgress } from '../report-progress.js';
import { resultOf, type Serving } from '../tool-server.js';
import { isModern } from '../versions.js';

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
  const { running, serving } = connection;
  try {
    const message: unknown = JSON.parse(line);
    const { method, params } = isObject(message) ? message : {};
    const request = readRequest(isObject(message) ? message : {});
    if (request !== null) void answer(request, connection);
    else if (method === 'notifications/cancelled' && isObject(params))
      running.get(params['requestId'] as RequestId)?.abort();
  } catch {
    serving.log('a line of standard input is not a JSON-RPC message');
  }
}

/** Sends nothing for a request that was canceled. */
async function answer(request: RpcRequest, { running, send, serving }: Connection): Promise<void> {
  const { id } = request;
  const call = new AbortController();
  const { signal } = call;
  running.set(id, call);
  const notify = (message: JsonObject) => void (signal.aborted || send(message));
  const token = progressTokenOf(request);
  const stop = token === undefined ? () => undefined : reportProgress(token, serving.clock, notify);
  try {
    const result = await resultOf(request, { ...serving, signal, isModern: isModern(request, undefined) });
    notify({ jsonrpc: '2.0', id, result });
  } catch (error) {
    if (!(error instanceof ProtocolError)) serving.log(`an unexpected error: ${String(error)}`);
    notify(errorReply(id, error instanceof ProtocolError ? error : INTERNAL_ERROR));
  } finally {
    stop();
    if (running.get(id) === call) running.delete(id);
  }
}
