import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where and with what a run was made. */
export interface Environment {
  readonly date: string;
  readonly commit: string;
  readonly node: string;
  readonly system: string;
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  /** Over the minute before the run, which includes building the packages. */
  readonly loadAverage: number;
  readonly versions: Readonly<Record<string, string>>;
}

const NODE_MODULES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param versions of what the run is about. */
export function describeEnvironment(versions: Environment['versions']): Environment {
  return {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    cores: os.availableParallelism(),
    processor: os.cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(os.totalmem() / 1024 ** 3),
    loadAverage: os.loadavg()[0] ?? 0,
    versions,
  };
}

/** Of a package that the benchmark depends on. */
export function installedVersion(name: string): string {
  const manifest = JSON.parse(readFileSync(path.join(NODE_MODULES, name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** Short hash of the checkout, marked when files differ from it. */
function commit(): string {
  try {
    const hash = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no') === '' ? hash : `${hash} with changes`;
  } catch {
    return 'unknown';
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
