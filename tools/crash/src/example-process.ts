import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectionsTo, type ServerProcess } from './gateway-process.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SERVER = 'examples/express-standalone/src/server.ts';
const START_TIMEOUT_MS = 60_000;
const KEPT_LOG_CHARACTERS = 4_000;

/** Starts the standalone example like its start script, on a free port, and waits until it listens. */
export async function startExample(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--conditions=@searchgate/source', '--import', 'tsx', SERVER], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      SEARCHGATE_LOG_LEVEL: 'error',
      SEARCHGATE_DRAIN_DELAY_MS: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-KEPT_LOG_CHARACTERS)));
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const url = await listeningAt(createInterface({ input: child.stdout }));
  clearTimeout(timer);
  if (url === undefined) throw new Error(`the example did not start:\n${log}`);
  const http = connectionsTo(url);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
    await http.destroy();
  };
  return { http, log: () => log, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

/** The address in the start notice; `undefined` if the process ends first. */
async function listeningAt(lines: AsyncIterable<string>): Promise<string | undefined> {
  let url: string | undefined;
  for await (const line of lines) {
    url ??= /listens on (\S+)/.exec(line)?.[1];
    // The last line of the notice.
    if (url !== undefined && line.includes('/credits')) return url;
  }
  return undefined;
}
