import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runVerify } from '../../src/verify/verify-command.js';
import type { VerifyContext } from '../../src/verify/verify-models.js';

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
  readonly headers?: Readonly<Record<string, string>>;
}

/** A key that every vendor here takes. */
export const KEY = 'key-of-an-account-71b0e5c84ad2f693';

/** Starts vendors on a loopback port: each request is answered as the script says; a wrong key is refused, unless the script answers it. */
export async function startScriptedVendor() {
  const state = { script: (_: Asked): Scripted | null => null, asked: [] as Asked[] };
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req) text += String(chunk);
    const { url = '', headers } = req;
    const [, vendor = '', ...rest] = url.split('/');
    const isKnown = JSON.stringify([url, headers]).includes(KEY);
    const asked = {
      vendor,
      path: rest.join('/'),
      body: text === '' ? {} : (JSON.parse(text) as object),
      isKnown,
    } as Asked;
    state.asked.push(asked);
    const refused = { status: 401, reply: { error: { message: 'The key is not valid.' } } };
    const { status = 200, reply, headers: more = {} } = state.script(asked) ?? refused;
    const type =
      typeof reply === 'string' && /^(?:data|event):/m.test(reply) ? 'text/event-stream' : 'application/json';
    res.writeHead(status, { 'content-type': type, ...more });
    res.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
  });
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
    fixtures: null,
    stdin: Readable.from([]),
    out: (text) => (printed.out += text),
    err: (text) => (printed.err += text),
    signal: new AbortController().signal,
    now: () => Date.UTC(2026, 10, 29),
    elapsedMs: () => 0,
    ...context,
  });
  return { code, ...printed };
}
