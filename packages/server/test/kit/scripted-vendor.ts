import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runVerify, type VerifyContext } from '../../src/verify/verify-command.js';

/** The folder of the providers' code, with their fixtures. */
export const PROVIDERS = join(import.meta.dirname, '../../../core/src/providers');

/** The text of a provider's fixture. */
export const fixture = (path: string) => readFileSync(join(PROVIDERS, path.replace('/', '/fixtures/')), 'utf8');

/** A request to a vendor. */
export interface Asked {
  /** The first part of the path: each vendor has its own. */
  readonly vendor: string;
  readonly path: string;
  /** The JSON body; `{}` without one. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the key is right. */
  readonly isKnown: boolean;
}

export interface Scripted {
  readonly status?: number;
  /** A text as it is, anything else as JSON. */
  readonly reply: unknown;
}

/** A key that every vendor here takes. */
export const KEY = 'key-of-an-account-71b0e5c84ad2f693';

const REFUSED: Scripted = { status: 401, reply: { error: { message: 'The key is not valid.' } } };

/** Starts vendors on a loopback port: each request is answered as the script says; a wrong key is refused, unless the script answers it. */
export async function startScriptedVendor() {
  const state: { script: (asked: Asked) => Scripted | null; asked: Asked[] } = { script: () => null, asked: [] };
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of req) text += String(chunk);
    const { url = '', headers } = req;
    const [, vendor = '', ...rest] = url.split('/');
    const isKnown = JSON.stringify([url, headers]).includes(KEY);
    const body = (text === '' ? {} : JSON.parse(text)) as Asked['body'];
    const asked = { vendor, path: rest.join('/'), body, isKnown };
    state.asked.push(asked);
    const { status = 200, reply } = state.script(asked) ?? REFUSED;
    const isStream = typeof reply === 'string' && /^(?:data|event):/m.test(reply);
    res.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    res.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
  }
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    state,
    url: `http://127.0.0.1:${port}`,
    /** Key and address of these vendors, as variables. */
    environment: (...ids: readonly string[]): Record<string, string> =>
      Object.fromEntries(
        ids.flatMap((id) => [
          [`${id.toUpperCase()}_API_KEY`, KEY],
          [`${id.toUpperCase()}_BASE_URL`, `http://127.0.0.1:${port}/${id}`],
        ]),
      ),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs `searchgate verify` without a terminal. */
export async function verify(argv: readonly string[], context: Partial<VerifyContext>) {
  const printed = { out: '', err: '' };
  const code = await runVerify(argv, {
    command: 'searchgate verify',
    environment: {},
    stdin: Readable.from([]),
    out: (text) => Promise.resolve(void (printed.out += text)),
    err: (text) => void (printed.err += text),
    signal: new AbortController().signal,
    now: () => Date.UTC(2026, 10, 29),
    elapsedMs: () => 0,
    ...context,
  });
  return { code, ...printed };
}
