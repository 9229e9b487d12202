import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const poor = 'sg_of_an_organization_without_credits';
const rich = 'sg_of_an_organization_with_credits';
const config = {
  organizations: [
    { id: 'poor', credits: '0' },
    { id: 'rich', credits: '1.00' },
  ],
  apiKeys: [
    { secret: poor, label: 'poor', organizationId: 'poor', limit: '1.00' },
    { secret: rich, label: 'rich', organizationId: 'rich', limit: '1.00' },
  ],
};

const SOCKETS = 40;
const CHUNKS = '1\r\nx\r\n'.repeat(65_000);
/** Bodies stored as lists of their pieces would take 500. */
const HEAP_MB = 256;

/** Sends a body without an end. Resolves when it was sent. */
async function sendHalf(url: string, secret: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const head = [
    'POST /api/v1/answer HTTP/1.1',
    'host: x',
    'content-type: application/json',
    `authorization: Bearer ${secret}`,
    'transfer-encoding: chunked',
  ];
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject).write(`${head.join('\r\n')}\r\n\r\n${CHUNKS}`, () => resolve());
  });
  return socket;
}

describe('a server with a small heap', { timeout: 4 * SLOW_MS }, () => {
  it('answers other callers despite bodies sent byte by byte without an end, and refuses these in time', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify(config));
    const options = { SEARCHGATE_CONFIG: file, SEARCHGATE_LEDGER: 'memory' };
    const heap = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
    const server = await spawnServer(program, { ...shortDocuments(), ...options, ...heap }, folder);

    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => sendHalf(server.url, poor)));
    const answers = sockets.map(
      (socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data)))),
    );
    const response = await fetch(`${server.url}/api/v1/answer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rich}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/docs', query: 'When does the shop open?' }),
    });
    expect(response.status).toBe(200);
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });
});
