import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** The latest that runs on Node 20. */
export const PRISM_VERSION = '5.14.2';

const FOLDER = path.resolve(import.meta.dirname, `../../node_modules/.cache/prism-${PRISM_VERSION}`);
const CLI = path.join(FOLDER, 'node_modules/@stoplight/prism-cli/dist/index.js');
const INSTALL = [
  'install',
  '--no-save',
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];
const INSTALL_TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 60_000;

/** A mock server that checks each request against a document. */
export interface Prism {
  /** Without a final slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Puts Prism into the cache of the workspace, once; it is no dependency of anything here. @throws Error when it cannot be installed. */
export async function installPrism(): Promise<void> {
  if (existsSync(CLI)) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, 'package.json'), JSON.stringify({ name: 'prism-for-the-contracts', private: true }));
  await promisify(execFile)('npm', [...INSTALL, `@stoplight/prism-cli@${PRISM_VERSION}`], {
    cwd: FOLDER,
    env: withoutPackageManagerSettings(),
    timeout: INSTALL_TIMEOUT_MS,
  });
}

/** Reads YAML, of which JSON is a part, with the parser that Prism brings along. */
export function parseYaml(text: string): unknown {
  const yaml = createRequire(CLI)('js-yaml') as { load(text: string): unknown };
  return yaml.load(text);
}

/** Starts Prism on a free loopback port. @throws Error with its own words when it does not come up. */
export async function startPrism(document: unknown): Promise<Prism> {
  const folder = mkdtempSync(path.join(tmpdir(), 'searchgate-contract-'));
  const file = path.join(folder, 'document.json');
  writeFileSync(file, JSON.stringify(document));
  const child = spawn(process.execPath, [CLI, 'mock', '--host', '127.0.0.1', '--port', '0', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
  });

  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  }

  let output = '';
  const listening = new Promise<string>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`Prism ${reason}:\n${output.slice(-2_000)}`));
    const timer = setTimeout(() => fail('did not come up in time'), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const [, url] = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => {
      clearTimeout(timer);
      fail('ended');
    });
  });
  try {
    return { url: await listening, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings that pnpm and npx put into the environment mislead an npm started below them. */
function withoutPackageManagerSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|userconfig)$)/i.test(name)),
  );
}
