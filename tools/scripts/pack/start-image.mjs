/* Starts the program built for the image, like the image, and runs the image's health check before, during and after. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, healthCheck] = process.argv.slice(2);
const cwd = mkdtempSync(join(tmpdir(), 'searchgate-image-'));
const config = join(cwd, 'config.json');
writeFileSync(config, JSON.stringify({ endpoints: { mcp: true } }));
const PORT = String(await freePort());
const env = { PATH: process.env.PATH, PORT, SEARCHGATE_DRAIN_DELAY_MS: '0' };

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** The exit code of the health check. */
async function health() {
  const [code] = await once(execFile('node', [healthCheck], { env }), 'exit');
  return code;
}

async function start(variables) {
  const child = spawn(program, ['start'], { cwd, env: { ...env, ...variables }, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text) => (log += text));
  const ended = once(child, 'close').then(([code]) => code);
  await Promise.race([once(child.stdout, 'data'), ended]);
  return { child, ended, log: () => log };
}

assert.equal(await health(), 1);
// It has the SDK for spans. Nobody takes them.
const server = await start({ SEARCHGATE_CONFIG: config, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
assert.equal(await health(), 0, server.log());
const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/mcp`, { method: 'POST' });
assert.notEqual(response.status, 404);
server.child.kill('SIGTERM');
assert.equal(await server.ended, 0);
assert.equal(await health(), 1);

const refused = await start({ SEARCHGATE_LEDGER: 'redis://127.0.0.1:1' });
assert.equal(await refused.ended, 1);
assert.match(refused.log(), /ECONNREFUSED/);
