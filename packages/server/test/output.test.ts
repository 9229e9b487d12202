import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundledProgram } from './kit/bundled-program.js';
import { shortDocuments, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = fileURLToPath(new URL('../src/bin/searchgate.ts', import.meta.url));

/** Every write to this file fails as on a full disk. */
const FULL = '/dev/full';
/** The end of a stream: a reader, a full disk, or a reader that has stopped. */
type End = 'read' | 'full' | 'closed';

/** A process with these output ends. It sees no variable of the tester's environment but PATH. */
async function start(argv: readonly string[], ends: { readonly stdout: End; readonly stderr: End }) {
  const stdio = [ends.stdout, ends.stderr].map((end) => (end === 'full' ? openSync(FULL, 'w') : 'pipe'));
  const child = spawn(process.execPath, [await bundledProgram(program), ...argv], {
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'], PORT: '0', SEARCHGATE_DRAIN_DELAY_MS: '0', ...shortDocuments() },
    stdio: ['ignore', ...stdio],
  });
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  if (ends.stdout === 'closed') child.stdout?.destroy();
  if (ends.stderr === 'closed') child.stderr?.destroy();
  return { child, exited };
}

/** Waits for text in the output. */
async function found(stream: Readable | null, form: RegExp): Promise<string> {
  let printed = '';
  for await (const part of stream ?? []) {
    printed += String(part);
    const [, value] = form.exec(printed) ?? [];
    if (value !== undefined) return value;
  }
  throw new Error(`the process ended: ${printed}`);
}

const SERVERS: readonly { readonly stdout: End; readonly stderr: End }[] = [
  { stdout: 'full', stderr: 'read' },
  { stdout: 'closed', stderr: 'read' },
  { stdout: 'read', stderr: 'full' },
  { stdout: 'read', stderr: 'closed' },
];

const note = existsSync(FULL) ? '' : ` (skipped: there is no ${FULL} on this machine)`;

describe.skipIf(note !== '')(`output that cannot be written${note}`, { timeout: SLOW_MS }, () => {
  it.each(SERVERS)('does not end a server: stdout $stdout, log $stderr', async (ends) => {
    const { child, exited } = await start([], ends);
    const port =
      ends.stdout === 'read'
        ? await found(child.stdout, /listens on \S+:(\d+)/)
        : await found(child.stderr, /"port":(\d+),"msg":"listening"/);
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    // Each refused call logs a line.
    expect([await statusOf('/api/v1/key'), await statusOf('/api/v1/key'), await statusOf('/healthz')]).toEqual([
      401, 401, 200,
    ]);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  it.each(['--help', 'admin --help', 'eval --help', 'verify --help', 'admin ledger migrate'])(
    'makes %s end with 1 on a full disk, with 0 for a reader that has stopped, and without a stack',
    async (command) => {
      const argv = command.split(' ');
      const onFullDisk = await start(argv, { stdout: 'full', stderr: 'read' });
      const unread = await start(argv, { stdout: 'closed', stderr: 'read' });
      const printed = onFullDisk.child.stderr === null ? '' : await text(onFullDisk.child.stderr);
      expect(printed).not.toMatch(/\n {4}at /);
      expect(await onFullDisk.exited).toBe(1);
      expect(await unread.exited).toBe(0);
    },
  );
});
