import path from 'node:path';
import { request } from 'undici';
import type { LoadGenerator } from './load-generator.js';
import { type Child, moduleUrl, startChild } from './processes/child.js';
import type { Probe } from './processes/probe.js';
import { answerRequest } from './requests.js';
import type { Host } from './servers/settings.js';
import { ANSWER, CITATION_COUNT, EXA_COST_USD } from './upstream/exa-reply.js';
import type { MockUpstream } from './upstream/mock-upstream.js';

export interface Target {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: 'forwarder' | 'gateway';
  /** The framework; the forwarder and the gateway in the same framework are compared. */
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
  /** Answers per second in the last drive; `null` before. */
  rate: number | null;
}

export interface Stage {
  readonly upstream: Child<MockUpstream>;
  readonly generator: Child<LoadGenerator>;
  readonly servers: readonly Server[];
  /** Starts another server and checks its answer. @param checkout whose packages to use, instead of this checkout's. */
  start(target: Target, checkout?: string): Promise<Server>;
  /** Ends another process together with the stage. */
  keep<C extends Child>(child: C): C;
  stop(): Promise<void>;
}

/** Starts the upstream, the load generator and the wanted servers. */
export async function setUpStage(wanted: readonly Target[]): Promise<Stage> {
  const children: Child[] = [];
  const keep = <C extends Child>(child: C): C => {
    children.push(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
  };
  try {
    const upstream = keep(await startChild<MockUpstream>('mock upstream', 'upstream/mock-upstream.js'));
    const generator = keep(await startChild<LoadGenerator>('load generator', 'load-generator.js'));
    const start = async (target: Target, checkout?: string): Promise<Server> => {
      const child = await startChild<Probe>(target.name, `servers/${target.kind}.js`, {
        argv: [target.host, String(upstream.ready)],
        preload: [moduleUrl('processes/probe.js'), ...otherPackages(checkout)],
        nodeOptions: ['--expose-gc'],
      });
      const server = { target, child: keep(child), port: child.ready as number, rate: null };
      await checkReply(server);
      return server;
    };
    const servers: Server[] = [];
    for (const target of wanted) servers.push(await start(target));
    return { upstream, generator, servers, start, keep, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The preload of a script that uses the packages of another checkout. */
export function otherPackages(checkout: string | undefined): string[] {
  if (checkout === undefined) return [];
  return [`${moduleUrl('processes/other-packages.js')}?checkout=${encodeURIComponent(path.resolve(checkout))}`];
}

/** Checks that the measured work is correct. @throws Error for a wrong answer. */
async function checkReply({ target, port }: Server): Promise<void> {
  const { body } = await request(`http://127.0.0.1:${port}`, answerRequest());
  const text = await body.text();
  const { answer, citations, usage } = JSON.parse(text) as {
    answer?: string;
    citations?: unknown[];
    usage?: { cost: number };
  };
  const right = answer?.startsWith(ANSWER.slice(0, 50)) && citations?.length === CITATION_COUNT;
  if (!right || usage?.cost !== EXA_COST_USD) throw new Error(`${target.name} gave a wrong answer: ${text}`);
}
