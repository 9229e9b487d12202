import path from 'node:path';
import { freePort } from '@searchgate-internal/test-servers';
import { request } from 'undici';
import { ENGINES, type EngineId, openLedgerProcess } from './ledgers/engines.js';
import type { LedgerProcess } from './ledgers/ledger-process.js';
import type { LoadGenerator } from './load-generator.js';
import { installPeer, PEER_VERSION } from './peer.js';
import { type Child, moduleUrl, startChild } from './processes/child.js';
import type { Probe } from './processes/probe.js';
import { answerRequest, chatRequest, type HttpRequest } from './requests.js';
import type { Client, Host } from './servers/settings.js';
import { ANSWER, CITATION_COUNT, EXA_COST_USD } from './upstream/exa-reply.js';
import type { MockUpstream } from './upstream/mock-upstream.js';

export interface Target {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: 'forwarder' | 'gateway' | 'portkey';
  /** The framework; servers are compared with the forwarders in the same framework. */
  readonly host: Host;
  /** Of a forwarder; undici by default. */
  readonly client?: Client;
  /** Of a gateway; in memory by default. */
  readonly ledger?: EngineId;
}

export type TargetId =
  | Host
  | `${Host}-${'fetch' | 'exa-js'}`
  | 'core'
  | `core-${'sqlite' | 'postgres' | 'redis'}`
  | `${'express' | 'koa'}-gateway`
  | 'portkey';

/** A team's own handler in a framework: over undici, `fetch` and the vendor's SDK. */
function forwarders(host: Host, name: string): Target[] {
  const own = { kind: 'forwarder', host } as const;
  const clients = (['fetch', 'exa-js'] as const).map(
    (client): Target => ({ id: `${host}-${client}`, name: `${name}, ${client}`, ...own, client }),
  );
  return [{ id: host, name: `${name} forwarder`, ...own }, ...clients];
}

const CORE = { kind: 'gateway', host: 'node' } as const;
export const TARGETS: readonly Target[] = [
  ...forwarders('node', 'node:http'),
  { id: 'core', name: 'Searchgate core in node:http', ...CORE },
  { id: 'core-sqlite', name: 'the same, ledger in SQLite', ...CORE, ledger: 'sqlite' },
  { id: 'core-postgres', name: 'the same, ledger in PostgreSQL', ...CORE, ledger: 'postgres' },
  { id: 'core-redis', name: 'the same, ledger in Redis', ...CORE, ledger: 'redis' },
  ...forwarders('express', 'Express'),
  { id: 'express-gateway', name: 'Searchgate in Express', kind: 'gateway', host: 'express' },
  ...forwarders('koa', 'Koa'),
  { id: 'koa-gateway', name: 'Searchgate in Koa', kind: 'gateway', host: 'koa' },
  { id: 'portkey', name: `Portkey gateway ${PEER_VERSION}`, kind: 'portkey', host: 'node' },
];
/** Those that keep the ledger in memory. */
export const GATEWAYS = TARGETS.filter(({ kind, ledger }) => kind === 'gateway' && ledger === undefined);

export interface Server {
  readonly target: Target;
  readonly child: Child<Probe>;
  readonly port: number;
  /** Reads a durable ledger, from another process. */
  readonly books?: Child<LedgerProcess> | undefined;
  /** A question in the words of this server. */
  readonly request: (options?: object) => HttpRequest;
  /** Before the first answer. */
  readonly rssAtStart: number;
  /** Answers per second in the last drive; `null` before. */
  rate: number | null;
}

export interface Stage {
  readonly upstream: Child<MockUpstream>;
  readonly generator: Child<LoadGenerator>;
  readonly servers: readonly Server[];
  /** Starts another server and checks its answer. @param checkout whose packages to use, instead of this checkout's. */
  start(target: Target, checkout?: string): Promise<Server>;
  /** Ends something else together with the stage. */
  keep<Part extends Stoppable>(part: Part): Part;
  /** In the reverse order of the starts. */
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** Starts the upstream, the load generator and the wanted servers. Those that this machine has no ledger engine or no program for are left out. */
export async function setUpStage(wanted: readonly Target[]): Promise<Stage> {
  const parts: Stoppable[] = [];
  const keep = <Part extends Stoppable>(part: Part): Part => {
    parts.push(part);
    return part;
  };
  const stop = async (): Promise<void> => {
    for (const part of parts.splice(0).toReversed()) await part.stop();
  };
  try {
    const upstream = keep(await startChild<MockUpstream>('mock upstream', 'upstream/mock-upstream.js'));
    const generator = keep(await startChild<LoadGenerator>('load generator', 'load-generator.js'));
    const upstreamPort = upstream.ready as number;
    const launch = async (target: Target, { argv, books }: Needs, checkout?: string): Promise<Server> => {
      const child = await startChild<Probe>(target.name, `servers/${target.kind}.js`, {
        argv,
        preload: [moduleUrl('processes/probe.js'), ...otherPackages(checkout)],
        nodeOptions: ['--expose-gc'],
      });
      const ask = (options?: object) =>
        target.kind === 'portkey' ? chatRequest(upstreamPort, options) : answerRequest(options);
      const { rssBytes: rssAtStart } = await keep(child).call.state();
      const server = { target, child, books, port: child.ready as number, request: ask, rssAtStart, rate: null };
      await checkReply(server);
      return server;
    };
    const start = async (target: Target, checkout?: string) =>
      launch(target, await needsOf(target, upstreamPort, keep), checkout);
    const servers: Server[] = [];
    for (const target of wanted) {
      const leaveOut = (error: unknown) => console.error(`${target.name} takes no part: ${String(error)}`);
      const needs = await needsOf(target, upstreamPort, keep).catch(leaveOut);
      if (needs !== undefined) servers.push(await launch(target, needs));
    }
    return { upstream, generator, servers, start, keep, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Needs extends Pick<Server, 'books'> {
  readonly argv: readonly string[];
}

/** What a server needs besides the upstream. @throws Error if this machine does not have it. */
async function needsOf(
  { kind, host, client, ledger }: Target,
  upstreamPort: number,
  keep: Stage['keep'],
): Promise<Needs> {
  if (kind === 'portkey') {
    const script = await installPeer();
    return { argv: [`--port=${await freePort()}`, '--headless', script] };
  }
  const argv = [host, String(upstreamPort)];
  if (ledger === undefined) return { argv: client === undefined ? argv : [...argv, client] };
  const { target } = keep(await ENGINES[ledger]());
  const books = keep(await openLedgerProcess());
  await books.call.open(target);
  return { argv: [...argv, target], books };
}

/** The preload of a script that uses the packages of another checkout. */
export function otherPackages(checkout: string | undefined): string[] {
  if (checkout === undefined) return [];
  return [`${moduleUrl('processes/other-packages.js')}?checkout=${encodeURIComponent(path.resolve(checkout))}`];
}

interface Reply {
  readonly answer?: string;
  readonly citations?: readonly unknown[];
  readonly usage?: { readonly cost?: number };
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
}

/** Checks that the measured work is correct. @throws Error for a wrong answer. */
async function checkReply({ target, port, request: ask }: Server): Promise<void> {
  const { body } = await request(`http://127.0.0.1:${port}`, ask());
  const text = await body.text();
  const { answer, citations, usage, choices } = JSON.parse(text) as Reply;
  const isPeer = target.kind === 'portkey';
  const right = (isPeer ? choices?.[0]?.message.content : answer)?.startsWith(ANSWER.slice(0, 50));
  const isWhole = isPeer || (citations?.length === CITATION_COUNT && usage?.cost === EXA_COST_USD);
  if (!right || !isWhole) throw new Error(`${target.name} gave a wrong answer: ${text}`);
}
