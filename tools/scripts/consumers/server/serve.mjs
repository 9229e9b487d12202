/* Starts the installed `searchgate` in an empty folder, asks a question, and administers its ledger with `searchgate admin` meanwhile. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'node_modules/.bin/searchgate');
const cwd = join(import.meta.dirname, 'empty');
const env = { PATH: process.env.PATH, PORT: '0', SEARCHGATE_DRAIN_DELAY_MS: '0' };

async function admin(...argv) {
  const { stdout } = await promisify(execFile)(program, ['admin', ...argv, '--json'], { cwd, env });
  return JSON.parse(stdout);
}

async function refusal(variables) {
  const failed = promisify(execFile)(program, ['start'], { cwd, env: { ...env, ...variables } });
  return failed.then(
    () => assert.fail('it started'),
    ({ stderr }) => stderr,
  );
}

async function start() {
  const child = spawn(program, [], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [notice, log] = ['', ''];
  child.stderr.on('data', (text) => (log += text));
  child.stdout.on('data', (text) => (notice += text));
  const ended = once(child, 'exit').then(([code]) => assert.fail(`it ended with ${code}: ${log}`));
  // The notice ends with the body of a question to paste.
  while (!/^ {4}-d .*\n/m.test(notice)) await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  return { child, url: /listens on (\S+)/.exec(notice)[1], demoKey: /Bearer (sg_\S+)"/.exec(notice)[1] };
}

async function ask({ url }, apiKey) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'local/docs', query: 'How do I mount it in a Koa application?' });
  const response = await fetch(`${url}/api/v1/answer`, { method: 'POST', headers, body });
  assert.equal(response.status, 200);
  return response.json();
}

assert.deepEqual(readdirSync(cwd), []);
const server = await start();
try {
  assert.deepEqual(await (await fetch(`${server.url}/readyz`)).json(), { status: 'ready' });
  const { answer, citations, usage } = await ask(server, server.demoKey);
  assert.match(answer, /gatewayRouter/);
  assert.match(citations[0].url, /^https:\/\/github\.com\/searchgate\//);
  assert.equal(usage.cost, 0.001);

  await admin('orgs', 'create', 'acme');
  await admin('credits', 'grant', '--org', 'acme', '--amount', '1.00');
  const { secret, key } = await admin('keys', 'create', '--org', 'acme', '--label', 'ci', '--limit', '0.50');
  await ask(server, secret);
  assert.equal((await admin('keys', 'show', key.id)).usage, '0.001');
  const verified = await admin('ledger', 'verify');
  assert.deepEqual(verified.differences, []);
  assert.equal(verified.keys, 2);
  console.log(`    ${answer.split('\n')[0].slice(0, 90)} …`);
} finally {
  server.child.kill('SIGTERM');
}
const [code] = await once(server.child, 'exit');
assert.equal(code, 0);

assert.match(await refusal({ SEARCHGATE_LEDGER: 'redis://127.0.0.1:1' }), /npm install ioredis/);
