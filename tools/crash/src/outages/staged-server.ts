import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readScrape, type Scrape } from './recorded-series.js';

const PROGRAM = fileURLToPath(new URL('../../../../packages/server/src/bin/searchgate.ts', import.meta.url));
const secretOf = (organization: number) => `a-secret-of-organization-${organization}`;
const EVENTS = ['budget_exhausted', 'store_down', 'store_recovered', 'provider_paused', 'provider_resumed'];

/** A line of the server's log. */
interface LogLine {
  readonly time: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface StagedServer {
  readonly folder: string;
  readonly log: readonly LogLine[];
  /** The posted webhooks, with the time of their arrival. */
  readonly webhooks: readonly { readonly atMs: number; readonly type: string }[];
  /** The callers' replies so far, by status and reason. */
  readonly replies: ReadonlyMap<string, number>;
  /** Asks a question for one of the organizations, without waiting for the answer. */
  ask(call: number): void;
  scrape(): Promise<Scrape>;
  /** Ends the process in good order, so that its request log is written. */
  stop(): Promise<void>;
}

/** A server of its own, from the sources, with Exa at `exaUrl`, organizations with a key each, and one receiver of webhooks. */
export async function startStagedServer(options: {
  readonly exaUrl: string;
  /** Of each organization. */
  readonly credits: string;
  readonly organizations: number;
  /** Default: a SQLite file in its folder. */
  readonly ledger?: string | undefined;
}): Promise<StagedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-outage-'));
  const webhooks: { atMs: number; type: string }[] = [];
  const receiver = await listen((request, response) => {
    void text(request).then((body) => {
      const { type } = JSON.parse(body) as { type: string };
      webhooks.push({ atMs: Date.now(), type });
      response.writeHead(204).end();
    });
  });
  const metrics = await freePort();
  const child = spawnServer(folder, {
    METRICS_PORT: String(metrics),
    EXA_BASE_URL: options.exaUrl,
    SEARCHGATE_LEDGER: options.ledger ?? `sqlite:${join(folder, 'ledger.db')}`,
    SEARCHGATE_CONFIG: writeConfig(folder, receiver.url, options),
  });
  // Also after an error of the script.
  process.once('exit', () => child.kill());
  const log: LogLine[] = [];
  const url = await listening(child, log);
  const replies = new Map<string, number>();

  async function asked(call: number): Promise<void> {
    const reply = await fetch(`${url}/api/v1/answer`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretOf(call % options.organizations)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'exa/answer', query: `Question ${call}` }),
    });
    const { error } = (await reply.json()) as { error?: { reason: string } };
    const name = `${reply.status} ${error?.reason ?? ''}`.trim();
    replies.set(name, (replies.get(name) ?? 0) + 1);
  }

  return {
    folder,
    log,
    webhooks,
    replies,
    ask: (call) => void asked(call).catch(() => replies.set('cut off', (replies.get('cut off') ?? 0) + 1)),
    scrape: async () => readScrape(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      receiver.close();
    },
  };
}

function writeConfig(
  folder: string,
  url: string,
  { organizations, credits }: { readonly organizations: number; readonly credits: string },
): string {
  const file = join(folder, 'config.json');
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/guide.md'), '# Guide\n\nThe shop opens at nine.');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const ids = Array.from({ length: organizations }, (_, index) => `organization-${index}`);
  const config = {
    organizations: ids.map((id) => ({ id, credits })),
    apiKeys: ids.map((organizationId, index) => ({
      secret: secretOf(index),
      label: 'app',
      organizationId,
      limit: null,
    })),
    webhooks: { endpoints: [{ url, secret, events: EVENTS }] },
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function spawnServer(folder: string, environment: Record<string, string>): ChildProcess {
  const { PATH } = process.env;
  const docs = { SEARCHGATE_DOCS_DIR: join(folder, 'docs'), SEARCHGATE_DOCS_BASE_URL: 'https://example.org/' };
  const own = { PATH, PORT: '0', EXA_API_KEY: 'secret', SEARCHGATE_SHUTDOWN_DELAY_MS: '0', ...docs };
  return spawn(
    process.execPath,
    ['--conditions=@searchgate/source', '--import', import.meta.resolve('tsx/esm'), PROGRAM],
    { cwd: folder, env: { ...own, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
}

/** Gathers the log. @returns the server's URL, once it listens. */
async function listening(child: ChildProcess, log: LogLine[]): Promise<string> {
  let rest = '';
  const isListening = new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server ended: ${rest}`)));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each.startsWith('{'))) {
        const entry = JSON.parse(line) as LogLine;
        log.push(entry);
        if (entry.msg === 'listening') resolve(`http://127.0.0.1:${String(entry['port'])}`);
      }
    });
  });
  return isListening;
}

/** A server on loopback. */
export async function listen(handler: RequestListener): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
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

async function freePort(): Promise<number> {
  const { url, close } = await listen(() => undefined);
  close();
  return Number(new URL(url).port);
}

/** Removes the folder of a stopped server. */
export function removeFolder({ folder }: StagedServer): void {
  rmSync(folder, { recursive: true });
}
