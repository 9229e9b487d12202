import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICE_NANOS } from '../upstream-dialects.js';

/** The first of the two keys of the gateways. */
export const FIRST_KEY = 'first';
const SLOW_MS = 15_000;
const SEARCH_NANOS = 7_000_000;
const PAGES = [{ id: 'https://example.org/', title: 'Example', url: 'https://example.org/' }];

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Answers. @param costs replaces the fields about the cost. */
  reply(costs?: object): void;
}

/** What Exa does with a call. */
const CONDUCTS = {
  answers: ({ reply }: Exchange) => reply(),
  'says nothing': () => undefined,
  'stalls after its headers': ({ response }: Exchange) => {
    response.setHeader('content-type', 'application/json').write('{');
  },
  'refuses our keys': ({ response }: Exchange) => response.writeHead(401).end('{"error":"invalid api key"}'),
  'has no credit': outOfCredit,
  'has no credit for the first key': (exchange: Exchange) =>
    exchange.request.headers['x-api-key'] === FIRST_KEY ? outOfCredit(exchange) : exchange.reply(),
  'is slow': ({ reply }: Exchange) => setTimeout(reply, SLOW_MS),
  'names a wrong cost': ({ reply }: Exchange) => reply({ costDollars: { total: (100 * PRICE_NANOS) / 1e9 } }),
} as const;

export type Conduct = keyof typeof CONDUCTS;

function outOfCredit({ response }: Exchange): void {
  response.writeHead(402).end('{"error":"out of credits"}');
}

/** Exa on loopback. */
export interface StagedUpstream {
  readonly url: string;
  /** What the gateways need in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The costs of all complete replies, in nanodollars. */
  readonly billed: bigint;
  conduct: Conduct;
  /** Shows its expired certificate, or the valid one. */
  expire(isExpired: boolean): void;
  close(): void;
}

/** @param options.delayMs of each answer. @param options.tls whether it is reached over TLS. */
export async function startStagedUpstream(options: {
  readonly delayMs: number;
  readonly tls: boolean;
}): Promise<StagedUpstream> {
  let [billed, replies] = [0n, 0];
  const handler: RequestListener = (request, response) => {
    const cost = (request.url === '/search' ? SEARCH_NANOS : PRICE_NANOS) - (replies += 1);
    const reply = (costs: object = { costDollars: { total: cost / 1e9 } }) => {
      response.once('finish', () => (billed += BigInt(cost)));
      const body = { requestId: 'staged', answer: 'It [1].', citations: PAGES, results: PAGES, ...costs };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    request.resume().once('end', () => {
      setTimeout(() => CONDUCTS[upstream.conduct]({ request, response, reply }), options.delayMs);
    });
  };
  const certificates = options.tls ? makeCertificates() : undefined;
  const secure = certificates && createTlsServer(certificates.valid, handler);
  const { url, close } = await listen(secure ?? createServer(handler));
  const upstream: StagedUpstream = {
    url: secure === undefined ? url : url.replace('http:', 'https:'),
    environment: certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates.trusted },
    get billed() {
      return billed;
    },
    conduct: 'answers',
    expire(isExpired) {
      if (certificates === undefined) return;
      secure?.setSecureContext(isExpired ? certificates.expired : certificates.valid);
      // Connections made before would go on.
      secure?.closeAllConnections();
    },
    close() {
      close();
      certificates?.remove();
    },
  };
  return upstream;
}

/** A valid and an expired certificate of one key, both trusted: expiry is all that is wrong. */
function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  writeFileSync(join(folder, 'ca.cnf'), CA);
  writeFileSync(join(folder, 'index'), '');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem'];
  openssl('req', '-new', ...key, '-out', 'req.pem', '-subj', '/CN=exa', '-config', 'ca.cnf');
  const certify = (until: string) => {
    const dates = ['-startdate', '20200101000000Z', '-enddate', until];
    const files = ['-config', 'ca.cnf', '-keyfile', 'key.pem', '-in', 'req.pem', '-out', 'cert.pem'];
    openssl('ca', '-batch', '-selfsign', '-notext', ...files, ...dates);
    return { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'cert.pem')) };
  };
  const [expired, valid] = [certify('20200201000000Z'), certify('20490101000000Z')];
  const trusted = join(folder, 'trusted.pem');
  writeFileSync(trusted, Buffer.concat([expired.cert, valid.cert]));
  return { expired, valid, trusted, remove: () => rmSync(folder, { recursive: true }) };
}

const CA = `[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
unique_subject = no
rand_serial = yes
[any]
[names]
subjectAltName = IP:127.0.0.1
[req]
distinguished_name = any
`;

/** Lets a server listen on loopback. */
export async function listen(
  server: ReturnType<typeof createServer>,
): Promise<{ readonly url: string; close(): void }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
