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
  /** Where it listens; empty when it ended before it did. */
  readonly url: string;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended the process. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/**
 * How a TypeScript file of the repository is run from whatever directory. With the half of tsx that is for ES modules, as all of ours are: a server starts
 * in two thirds of the time.
 */
const RUN_SOURCE = ['--conditions=@searchgate/source', '--import', import.meta.resolve('tsx/esm')] as const;

/** An empty directory that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-server-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** The variables of a server that answers from one short document, and so starts without reading its default documents. */
export function shortDocuments(): Record<string, string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'guide.md'), '# Guide\n\n## Opening hours\n\nThe shop opens at nine.');
  return { SEARCHGATE_DOCS_DIR: folder, SEARCHGATE_DOCS_BASE_URL: 'https://example.org/' };
}

/**
 * Starts a server on a free port and waits until it listens or ends. Nothing of the tester's own environment reaches it but PATH. It stops without delay.
 *
 * @param cwd where it keeps its data unless `SEARCHGATE_LEDGER` says otherwise. Default: a folder of its own.
 */
export async function spawnServer(
  file: URL,
  environment: Readonly<Record<string, string>> = {},
  cwd: string = temporaryFolder(),
): Promise<SpawnedServer> {
  return startServer([await bundledProgram(fileURLToPath(file))], environment, cwd);
}

/** A server from its sources, as its start script does it, but without npm in between. That takes twice the time of {@link spawnServer}. */
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
    env: { PATH: process.env['PATH'], PORT: '0', SEARCHGATE_SHUTDOWN_DELAY_MS: '0', ...environment },
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

/** The start notice ends with the body of a question to paste, or with how to see the credits. */
async function untilListening(child: ChildProcess, output: { readonly stdout: string }): Promise<void> {
  while (!/(?:\/credits .*|^ {4}-d .*)\n/m.test(output.stdout)) await once(child.stdout ?? child, 'data');
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await exited;
}
