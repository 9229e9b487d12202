/*
 * Starts the installed `searchgate` in an empty folder, asks a question, and administers its ledger with `searchgate admin` meanwhile. Then the same folder gets one
 * file: it is checked and served, the page's API is asked by curl, and a ledger that was lost is restored from its backup.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'node_modules/.bin/searchgate');
const cwd = join(import.meta.dirname, 'empty');
const env = { PATH: process.env.PATH, PORT: '0', SEARCHGATE_DRAIN_DELAY_MS: '0' };

async function run(file, ...argv) {
  return (await promisify(execFile)(file, argv, { cwd, env })).stdout;
}

const admin = async (...argv) => JSON.parse(await run(program, 'admin', ...argv, '--json'));

async function refusal(variables) {
  const failed = promisify(execFile)(program, ['start'], { cwd, env: { ...env, ...variables } });
  return failed.then(
    () => assert.fail('it started'),
    ({ stderr }) => stderr,
  );
}

async function start(...argv) {
  const child = spawn(program, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [notice, log] = ['', ''];
  child.stderr.on('data', (text) => (log += text));
  child.stdout.on('data', (text) => (notice += text));
  const ended = once(child, 'exit').then(([code]) => assert.fail(`it ended with ${code}: ${log}`));
  // The notice ends with the body of a question to paste, or with the command that shows the credits.
  while (!/(?:\/credits .*|^ {4}-d .*)\n/m.test(notice)) await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  return {
    child,
    url: /listens on (\S+)/.exec(notice)[1],
    demoKey: /Bearer (sg_\S+)"/.exec(notice)?.[1],
    password: /password \(shown once\): (\S+)/.exec(notice)?.[1],
    log: () => log,
  };
}

async function stop({ child }) {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
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
  const { secret: made, key } = await admin('keys', 'create', '--org', 'acme', '--label', 'ci', '--limit', '0.50');
  await ask(server, made);
  assert.equal((await admin('keys', 'show', key.id)).usage, '0.001');
  const verified = await admin('ledger', 'verify');
  assert.deepEqual(verified.differences, []);
  assert.equal(verified.keys, 2);
  console.log(`    ${answer.split('\n')[0].slice(0, 90)} …`);
} finally {
  await stop(server);
}

const installed = join(import.meta.dirname, 'node_modules/@searchgate/server');
const schema = JSON.parse(readFileSync(join(installed, 'dist/config.schema.json'), 'utf8'));
assert.equal(schema.properties.organizations.type, 'array');
const secret = 'sg_a_key_of_the_one_file';
const apiKeys = [{ secret, label: 'one file', organizationId: 'globex', limit: null }];
const organizations = [{ id: 'globex', credits: '1.00' }];
writeFileSync(join(cwd, 'one.json'), JSON.stringify({ $schema: '../dist/config.schema.json', organizations, apiKeys }));
assert.match(await run(program, 'check', '--config', 'one.json'), /^Nothing is wrong\./);

const configured = await start('start', '--config', 'one.json');
try {
  await ask(configured, secret);
  const curl = (path, ...options) =>
    run('curl', '-sS', '-b', 'jar', '-c', 'jar', ...options, `${configured.url}/admin/${path}`);
  await curl('login', '--data-urlencode', `password=${server.password}`);
  let data = [];
  // Rows are written in batches, soon after their calls.
  while (data.length === 0) ({ data } = JSON.parse(await curl('api/v1/requests?organization=globex')));
  assert.deepEqual(
    data.map(({ model, status, cost }) => [model, status, cost]),
    [['local/docs', 200, '0.001']],
  );
  await admin('ledger', 'backup', '--to', 'backup.db');
  await ask(configured, secret);
} finally {
  await stop(configured);
}
writeFileSync(join(cwd, 'events.ndjson'), configured.log());
for (const end of ['', '-wal', '-shm']) rmSync(join(cwd, `data/searchgate.db${end}`), { force: true });
renameSync(join(cwd, 'backup.db'), join(cwd, 'data/searchgate.db'));
assert.deepEqual((await admin('ledger', 'verify')).differences, []);
assert.equal((await admin('orgs', 'show', 'globex')).usage, '0.001');
assert.equal((await admin('ledger', 'rebook', '--from', 'events.ndjson')).booked, 1);
assert.deepEqual((await admin('ledger', 'verify')).differences, []);
assert.equal((await admin('orgs', 'show', 'globex')).usage, '0.002');
console.log('    One file: checked, served, administered by curl, backed up, restored and verified');

assert.match(await refusal({ SEARCHGATE_LEDGER: 'redis://127.0.0.1:1' }), /npm install ioredis/);
