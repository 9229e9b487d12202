import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundledProgram } from './bundled-program.js';

/** A server process. */
export interface SpawnedServer {
  /** Its URL; empty if the process ended before it listened. */
  readonly url: string;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended the process. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/**
 * Runs a TypeScript file of the repository from any directory. Only tsx's loader for ES modules is used, since all sources are ES modules: a server
 * starts in two thirds of the time.
 */
const RUN_SOURCE = ['--conditions=@searchgate/source', '--import', import.meta.resolve('tsx/esm')] as const;

/** An empty directory, removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-server-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Variables of a server with one short document, which starts faster than with its default documents. */
export function shortDocuments(): Record<string, string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'guide.md'), '# Guide\n\n## Opening hours\n\nThe shop opens at nine.');
  return { SEARCHGATE_DOCS_DIR: folder, SEARCHGATE_DOCS_BASE_URL: 'https://example.org/' };
}

/**
 * Starts a server on a free port and waits until it listens or ends. It sees no variable of the tester's environment but PATH. It stops without delay.
 *
 * @param cwd the directory of its data, unless `SEARCHGATE_LEDGER` is set. Default: a new directory.
 */
export async function spawnServer(
  file: URL,
  environment: Readonly<Record<string, string>> = {},
  cwd: string = temporaryFolder(),
): Promise<SpawnedServer> {
  return startServer([await bundledProgram(fileURLToPath(file))], environment, cwd);
}

/** A server started from its sources, as its start script does, but without npm. Takes twice as long as {@link spawnServer}. */
export function spawnFromSource(file: URL): Promise<SpawnedServer> {
  return startServer([...RUN_SOURCE, fileURLToPath(file)], {}, temporaryFolder());
}

async function startServer(
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<SpawnedServer> {
  const child = spawn(process.execPath, program, {
    cwd,
    env: { PATH: process.env['PATH'], PORT: '0', SEARCHGATE_DRAIN_DELAY_MS: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  onTestFinished(() => end(child, exited));
  await Promise.race([untilListening(child, output), exited]);
  return {
    url: /listens on (\S+)/.exec(output.stdout)?.[1] ?? '',
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => child.kill(signal),
    exited,
  };
}

/** The start notice ends with calls to paste. */
async function untilListening(child: ChildProcess, output: { readonly stdout: string }): Promise<void> {
  while (!/^ {2}ask \w+ '.*\n/m.test(output.stdout)) await once(child.stdout ?? child, 'data');
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await exited;
}
