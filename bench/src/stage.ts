import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { request } from 'undici';
import { RESULTS } from './environment.js';
import type { LoadGenerator } from './load-generator.js';
import { type Child, moduleUrl, startChild } from './processes/child.js';
import type { Probe } from './processes/probe.js';
import { answerRequest, modelsRequest } from './requests.js';
import type { Host, ServerSettings } from './servers/settings.js';
import { ANSWER, CITATION_COUNT, EXA_COST_USD } from './upstream/exa-reply.js';
import type { MockUpstream } from './upstream/mock-upstream.js';

export interface Target {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: 'forwarder' | 'gateway';
  /** Each has a forwarder, which the gateway in it is measured against. */
  readonly host: Host;
}

export type TargetId = Host | 'core' | 'express-gateway' | 'koa-gateway';

export const TARGETS: readonly Target[] = [
  { id: 'node', name: 'node:http forwarder', kind: 'forwarder', host: 'node' },
  { id: 'core', name: 'Searchgate core in node:http', kind: 'gateway', host: 'node' },
  { id: 'express', name: 'Express forwarder', kind: 'forwarder', host: 'express' },
  { id: 'express-gateway', name: 'Searchgate in Express', kind: 'gateway', host: 'express' },
  { id: 'koa', name: 'Koa forwarder', kind: 'forwarder', host: 'koa' },
  { id: 'koa-gateway', name: 'Searchgate in Koa', kind: 'gateway', host: 'koa' },
];
export const GATEWAYS = TARGETS.filter(({ kind }) => kind === 'gateway');

export interface Server {
  readonly target: Target;
  readonly child: Child<Probe>;
  readonly port: number;
  /** Requests per second when it was last driven as fast as it can, by what it was asked. */
  readonly rates: Map<string, number>;
}

export interface Stage {
  readonly upstream: Child<MockUpstream>;
  readonly generator: Child<LoadGenerator>;
  readonly servers: readonly Server[];
  readonly models: string;
  /** Starts another server and checks what it answers. */
  start(id: TargetId, options?: StartOptions): Promise<Server>;
  /** Lets another process end with the stage. */
  keep<C extends Child>(child: C): C;
  stop(): Promise<void>;
}

interface StartOptions extends Partial<ServerSettings> {
  /** Whose packages to use, instead of our own. */
  readonly checkout?: string;
}

/** Starts the upstream, the load generator and the wanted servers. @param profile lets every server leave a CPU profile. */
export async function setUpStage(wanted: readonly TargetId[], profile: boolean): Promise<Stage> {
  const children: Child[] = [];
  const scratch = mkdtempSync(path.join(tmpdir(), 'searchgate-bench-'));
  const keep = <C extends Child>(child: C): C => {
    children.push(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    const upstream = keep(await startChild<MockUpstream>('mock upstream', 'upstream/mock-upstream.js'));
    const generator = keep(await startChild<LoadGenerator>('load generator', 'load-generator.js'));
    const upstreamPort = upstream.ready as number;
    const start = async (id: TargetId, options: StartOptions = {}): Promise<Server> => {
      const target = targetOf(id);
      const child = keep(await startServer(target, { upstreamPort, ...options }, profile));
      const server = { target, child, port: child.ready as number, rates: new Map() };
      await checkReply(server);
      return server;
    };
    const servers = new Map<TargetId, Server>();
    // Gateways come first: the forwarders serve the same list of models.
    for (const { id } of GATEWAYS.filter((each) => wanted.includes(each.id))) servers.set(id, await start(id));
    const [gateway] = servers.values();
    const models = gateway === undefined ? '{"data":[]}' : await fetchModels(gateway);
    const modelsFile = path.join(scratch, 'models.json');
    writeFileSync(modelsFile, models);
    for (const id of wanted) if (!servers.has(id)) servers.set(id, await start(id, { modelsFile }));
    return {
      upstream,
      generator,
      servers: TARGETS.flatMap(({ id }) => servers.get(id) ?? []),
      models,
      start,
      keep,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function targetOf(id: TargetId): Target {
  const target = TARGETS.find((each) => each.id === id);
  if (target === undefined) throw new Error(`there is no target ${id}`);
  return target;
}

function startServer(
  { id, name, kind, host }: Target,
  { checkout, ...settings }: StartOptions,
  profile: boolean,
): Promise<Child<Probe>> {
  const preload = [moduleUrl('processes/probe.js'), ...(checkout === undefined ? [] : [otherPackages(checkout)])];
  const profiles = [
    `--cpu-prof-dir=${path.join(RESULTS, 'profiles')}`,
    `--cpu-prof-name=${id}-${Date.now()}.cpuprofile`,
  ];
  const nodeOptions = ['--expose-gc', ...(profile ? ['--cpu-prof', ...profiles] : [])];
  return startChild<Probe>(name, `servers/${kind}.js`, {
    argv: [JSON.stringify({ host, ...settings })],
    preload,
    nodeOptions,
  });
}

/** What to load before a script that is to use the packages of another checkout. */
export function otherPackages(checkout: string): string {
  return `${moduleUrl('processes/other-packages.js')}?checkout=${encodeURIComponent(path.resolve(checkout))}`;
}

/** So that what is measured is the right work. @throws Error when the server does not answer as it should. */
async function checkReply({ target, port }: Server): Promise<void> {
  const { body } = await request(`http://127.0.0.1:${port}`, answerRequest());
  const text = await body.text();
  const { answer, citations, usage } = JSON.parse(text) as {
    answer?: string;
    citations?: unknown[];
    usage?: { cost: number };
  };
  const right = answer?.startsWith(ANSWER.slice(0, 50)) && citations?.length === CITATION_COUNT;
  if (!right || usage?.cost !== EXA_COST_USD) throw new Error(`${target.name} does not answer as it should: ${text}`);
}

async function fetchModels({ port }: Server): Promise<string> {
  return (await request(`http://127.0.0.1:${port}`, modelsRequest())).body.text();
}
