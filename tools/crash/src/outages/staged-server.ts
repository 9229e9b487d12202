import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '@searchgate-internal/test-servers';
import { createCallers, type Replies, type ServerOptions, secretOf } from './staged-callers.js';
import { FIRST_KEY, listen } from './staged-upstream.js';

const PROGRAM = fileURLToPath(new URL('../../../../packages/server/src/bin/searchgate.ts', import.meta.url));
const EVENTS = ['budget_exhausted', 'store_down', 'store_recovered', 'provider_paused', 'provider_resumed'];
const TOKEN = 'a-token-of-the-page-of-at-least-thirty-two-characters';

/** A line of a server's log. */
interface LogLine {
  readonly time: number;
  readonly msg: string;
  readonly level: number;
  readonly error?: { readonly message?: string } | undefined;
  readonly [field: string]: unknown;
}

interface Environment {
  readonly ledger: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Processes of one server, on one ledger. */
export interface StagedServer {
  readonly log: readonly LogLine[];
  /** The posted webhooks, with the time of their arrival. */
  readonly webhooks: readonly { readonly atMs: number; readonly type: string }[];
  readonly replies: Replies;
  /** The ports of the metrics, by process. */
  readonly metrics: readonly number[];
  /** Makes one call, without waiting for the answer. */
  ask(call: number): void;
  /** A reply of the first process's admin API. */
  page(path: string): Promise<object>;
  /** Sends a signal to the last process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends the processes in good order, so that the request log is written, and removes their folder. */
  stop(): Promise<void>;
}

/** From the sources, with organizations with a key each, two keys of Exa, and one receiver of webhooks. */
export async function startStagedServer(options: ServerOptions, environment: Environment): Promise<StagedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-outage-'));
  const webhooks: { atMs: number; type: string }[] = [];
  const receiver = await listen(
    createServer((request, response) => {
      void text(request).then((body) => {
        const { type } = JSON.parse(body) as { type: string };
        webhooks.push({ atMs: Date.now(), type });
        response.writeHead(204).end();
      });
    }),
  );
  const config = writeConfig(folder, receiver.url, options);
  const log: LogLine[] = [];
  const started: { child: ChildProcess; url: string; port: number }[] = [];
  // One after the other: the first makes the schema.
  for (let process = 0; process < options.processes; process += 1) {
    const port = await freePort();
    const own = { METRICS_PORT: String(port), SEARCHGATE_LEDGER: environment.ledger, SEARCHGATE_CONFIG: config };
    const child = spawnServer(folder, { ...own, ...environment.variables });
    started.push({ child, url: await listening(child, log), port });
  }
  const [first, last] = [started[0], started.at(-1)];
  const { ask, replies } = createCallers(
    started.map(({ url }) => url),
    options,
  );
  return {
    log,
    webhooks,
    replies,
    metrics: started.map(({ port }) => port),
    ask,
    async page(path) {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const reply = await fetch(`${first?.url}/admin/api/v1/${path}`, { headers });
      return reply.ok ? ((await reply.json()) as object) : { status: reply.status };
    },
    signal: (signal) => void last?.child.kill(signal),
    async stop() {
      await Promise.all(started.map(({ child }) => end(child)));
      receiver.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

function writeConfig(
  folder: string,
  url: string,
  { organizations, credits, processes, routing }: ServerOptions,
): string {
  const file = join(folder, 'config.json');
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/guide.md'), '# Guide\n\nThe shop opens at nine.');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const ids = Array.from({ length: organizations }, (_, index) => `organization-${index}`);
  const tokenHash = createHash('sha256').update(TOKEN).digest('hex');
  const config = {
    organizations: ids.map((id) => ({ id, credits })),
    apiKeys: ids.map((organizationId, index) => ({
      secret: secretOf(index),
      label: 'app',
      organizationId,
      limit: null,
    })),
    // So that holds of a frozen process expire while it is frozen.
    limits: processes > 1 ? { holdGraceMs: 1_000, expireHoldsEveryMs: 5_000 } : {},
    managementTokens: [{ name: 'stage', tokenHash, role: 'viewer', organizations: 'all' }],
    drainDelayMs: 0,
    ...routing,
    webhooks: { endpoints: [{ url, secret, events: EVENTS }] },
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function spawnServer(folder: string, environment: Record<string, string>): ChildProcess {
  const { PATH } = process.env;
  const docs = { SEARCHGATE_DOCS_DIR: join(folder, 'docs'), SEARCHGATE_DOCS_BASE_URL: 'https://example.org/' };
  const own = { PATH, PORT: '0', EXA_API_KEYS: `${FIRST_KEY},second`, ...docs };
  const child = spawn(
    process.execPath,
    ['--conditions=@searchgate/source', '--import', import.meta.resolve('tsx/esm'), PROGRAM],
    { cwd: folder, env: { ...own, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // Also after an error of the script, and of a frozen process.
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Gathers the log. @returns the server's URL, once it listens. */
async function listening(child: ChildProcess, log: LogLine[]): Promise<string> {
  let rest = '';
  const isListening = new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server ended: ${rest}`)));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('{')) process.stderr.write(`${line}\n`);
        else {
          const entry = JSON.parse(line) as LogLine;
          log.push(entry);
          if (entry.msg === 'listening') resolve(`http://127.0.0.1:${String(entry['port'])}`);
        }
      }
    });
  });
  return isListening;
}
