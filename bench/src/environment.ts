import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..');
export const RESULTS = path.join(ROOT, 'bench/results');

export interface Environment {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  /** Over the minute before the run, which includes building the packages. */
  readonly loadAverage: number;
  readonly versions: string;
}

/** @param packages of which to note the versions; dependencies of the benchmark. */
export function describeEnvironment(packages: readonly string[]): Environment {
  const cores = `${os.availableParallelism()} × ${os.cpus()[0]?.model ?? 'unknown'}`;
  const memory = `${Math.round(os.totalmem() / 1024 ** 3)} GB`;
  const versionOf = (name: string) => {
    const file = path.join(ROOT, 'bench/node_modules', name, 'package.json');
    return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
  };
  return {
    date: new Date().toISOString(),
    commit: commitOf(ROOT),
    machine: `Node ${process.version} on ${os.type()} ${os.release()} ${os.arch()}, ${cores}, ${memory}`,
    loadAverage: os.loadavg()[0] ?? 0,
    versions: packages.map(versionOf).join(', '),
  };
}

/** To be asked for at the end of a run. @param kind of run, such as "full run". */
export function environmentText({ date, commit, machine, loadAverage, versions }: Environment, kind: string): string {
  const load = `load average ${loadAverage.toFixed(1)} before the run, ${os.loadavg()[0]?.toFixed(1) ?? '–'} at its end`;
  const lines = [
    `${date.slice(0, 16).replace('T', ' ')} UTC, ${kind} of commit ${commit}.`,
    `${machine}; ${load}. Where others worked on the machine, absolute figures and tails are too high.`,
    `${versions}.`,
    'Medians over the rounds, in brackets the quartiles. Ratios hold on other machines, absolute figures do not.',
  ];
  return lines.join('\n\n');
}

/** Short hash of a checkout, marked when files differ from it. */
export function commitOf(checkout: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const hash = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no') === '' ? hash : `${hash} with changes`;
  } catch {
    return 'unknown';
  }
}

export interface Publication {
  readonly title: string;
  readonly command: string;
  readonly document: string;
  readonly sections: readonly string[];
  readonly write: boolean;
}

/** Shows the report and keeps the raw figures, which git ignores; `write` makes it the published one. */
export function publish(date: string, results: object, publication: Publication): void {
  const { title, command, document, sections, write } = publication;
  // As many digits as mean something.
  const round = (_key: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  mkdirSync(RESULTS, { recursive: true });
  const kept = `${path.parse(document).name}-${date.replaceAll(':', '-')}.json`;
  writeFileSync(path.join(RESULTS, kept), `${JSON.stringify(results, round, 1)}\n`);
  const report = `${sections.filter((text) => text !== '').join('\n\n')}\n`;
  process.stdout.write(`\n${report}`);
  if (!write) return;
  const origin = `Written by \`${command} -- --write\`; do not edit. How it is measured, and what is not: [bench/README.md](../bench/README.md).`;
  writeFileSync(path.join(ROOT, 'docs', document), `# ${title}\n\n${origin}\n\n${report}`);
}
