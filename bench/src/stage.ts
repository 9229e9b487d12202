import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { request } from 'undici';
import { Child, type ChildOptions } from './processes/child.js';
import { apiKeyOf } from './servers/api-keys.js';
import { installPortkey } from './servers/portkey.js';
import type { ServerSettings } from './servers/server-settings.js';
import { answerRequest, chatCompletionRequest, scriptOf, TARGETS, type Target, type TargetId } from './targets.js';

/** A running server under test. */
export interface Server {
  readonly target: Target;
  readonly child: Child;
  readonly port: number;
  /** What it is asked. */
  readonly request: string;
}

/** Every process of a run. Only these are ever ended. */
export interface Stage {
  readonly upstream: Child;
  readonly upstreamPort: number;
  readonly generator: Child;
  readonly servers: readonly Server[];
  /** Targets that could not take part, with the reason. */
  readonly skipped: readonly Skipped[];
  /** Starts one more server, for a measurement of its own; the caller stops it. */
  startServer(id: OwnTargetId, settings?: Partial<ServerSettings>): Promise<Server>;
  stop(): Promise<void>;
}

export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

export type OwnTargetId = Exclude<TargetId, 'portkey'>;

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PROBE = fileUrl('processes/probe.js');
const LISTEN_ON_LOOPBACK = fileUrl('processes/listen-on-loopback.js');

export interface StageOptions {
  readonly targets: readonly TargetId[];
  readonly upstreamDelayMs: number;
  /** Where every server leaves a processor profile when it ends; none are taken without. */
  readonly profileFolder: string | null;
}

/** Starts the upstream, the load generator and the wanted servers. @throws Error when one of ours does not come up. */
export async function setUpStage({ targets: wanted, upstreamDelayMs, profileFolder }: StageOptions): Promise<Stage> {
  const children: Child[] = [];
  const profiling = (id: TargetId): string[] =>
    profileFolder === null
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, `--cpu-prof-name=${id}-${Date.now()}.cpuprofile`];
  const scratch = mkdtempSync(path.join(tmpdir(), 'searchgate-bench-'));

  async function start(name: string, script: string, options: ChildOptions = {}): Promise<Child> {
    const child = await Child.start(name, script, options);
    children.push(child);
    return child;
  }

  async function stop(): Promise<void> {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(scratch, { recursive: true, force: true });
  }

  try {
    const upstream = await start('mock upstream', path.join(HERE, 'upstream/mock-upstream.js'), {
      argv: [String(upstreamDelayMs)],
    });
    const upstreamPort = upstream.ready as number;
    const generator = await start('load generator', path.join(HERE, 'load/load-generator.js'));

    async function startServer(id: OwnTargetId, settings: Partial<ServerSettings> = {}): Promise<Server> {
      const target = targetOf(id);
      const argv = [JSON.stringify({ upstreamPort, ...settings } satisfies ServerSettings)];
      const child = await start(target.name, path.join(HERE, scriptOf(id)), {
        preload: [PROBE],
        nodeOptions: ['--expose-gc', ...profiling(id)],
        argv,
      });
      return { target, child, port: child.ready as number, request: answerRequest() };
    }

    async function startPortkey(): Promise<Server> {
      const target = targetOf('portkey');
      const script = await installPortkey();
      const child = await start(target.name, script, {
        preload: [PROBE, LISTEN_ON_LOOPBACK],
        argv: ['--headless'],
        nodeOptions: profiling('portkey'),
      });
      return { target, child, port: child.ready as number, request: chatCompletionRequest(upstreamPort) };
    }

    const skipped: Skipped[] = [];
    const servers = new Map<TargetId, Server>();
    const own = wanted.filter((id) => id !== 'portkey');
    for (const id of own.filter((each) => targetOf(each).kind === 'gateway')) servers.set(id, await startServer(id));
    const modelsFile = path.join(scratch, 'models.json');
    writeFileSync(modelsFile, await modelsBody([...servers.values()][0]));
    for (const id of own.filter((each) => targetOf(each).kind === 'forwarder'))
      servers.set(id, await startServer(id, { modelsFile }));
    if (wanted.includes('portkey')) {
      try {
        servers.set('portkey', await startPortkey());
      } catch (error) {
        skipped.push({
          name: targetOf('portkey').name,
          reason: error instanceof Error ? error.message : String(error),
        });
      }
    }
    const inTurn = TARGETS.flatMap(({ id }) => servers.get(id) ?? []);
    return { upstream, upstreamPort, generator, servers: inTurn, skipped, startServer, stop };
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

/** What a gateway lists, so that the forwarders can serve the same bytes. */
async function modelsBody(gateway: Server | undefined): Promise<Uint8Array> {
  if (gateway === undefined) return Buffer.from('{"data":[]}');
  const { statusCode, body } = await request(`http://127.0.0.1:${gateway.port}/api/v1/models`, {
    headers: { authorization: `Bearer ${apiKeyOf(0)}` },
  });
  const bytes = await body.bytes();
  if (statusCode !== 200)
    throw new Error(`${gateway.target.name}: GET /models answered ${statusCode} ${Buffer.from(bytes).toString()}`);
  return bytes;
}

function fileUrl(relative: string): string {
  return pathToFileURL(path.join(HERE, relative)).href;
}
