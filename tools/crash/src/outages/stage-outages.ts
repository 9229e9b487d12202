/**
 * Stages outages of the packaged server, eight at a time, each with processes, a ledger and a Prometheus of its own: `npm run stage:outages`, or with
 * `-- disk` only those whose names have this word. Writes what Prometheus saw, with the alerts that have to fire, to docs/grafana/outages, and prints what
 * callers, Prometheus, the page, logs, webhooks and the ledger say.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { accountOf } from './account-of-money.js';
import { OUTAGES, type Outage } from './outages.js';
import { SCRAPE_EVERY_MS, startPrometheus } from './prometheus.js';
import { selectorOf } from './recorded-series.js';
import { testOf } from './recorded-test.js';
import { isExact, readPages, reportOutage } from './report-outage.js';
import { sqlite } from './staged-engines.js';
import { startStagedServer } from './staged-server.js';
import { startStagedUpstream } from './staged-upstream.js';

const AT_ONCE = 8;
const CALL_EVERY_MS = 500;
/** After the fifth scrape. */
const BEGIN_MS = 61_000;
const SCRAPES = 18;
const FOLDER = fileURLToPath(new URL('../../../../docs/grafana', import.meta.url));
const RULES = join(FOLDER, 'alerts.yaml');
// Each process, mount and Prometheus ends with this one.
process.setMaxListeners(0);
const wanted = OUTAGES.filter(({ name }) => name.includes(process.argv.slice(2).join(' ')));
mkdirSync(join(FOLDER, 'outages'), { recursive: true });
for (let first = 0; first < wanted.length; first += AT_ONCE)
  await Promise.all(wanted.slice(first, first + AT_ONCE).map(stage));

async function stage(outage: Outage): Promise<void> {
  const { delayMs = 0, expires = false, lastsMs = 151_000, conduct = 'answers', server: options } = outage;
  const engine = await (outage.engine ?? sqlite)();
  const upstream = await startStagedUpstream({ delayMs, tls: expires });
  const variables = { EXA_BASE_URL: upstream.url, ...upstream.environment };
  const usual = { credits: '100', organizations: 3, processes: 1, endpoint: 'answer' } as const;
  const server = await startStagedServer({ ...usual, ...options }, { ledger: engine.url, variables });
  const prometheus = await startPrometheus(server.metrics, RULES);
  const startedAtMs = prometheus.startedAt * 1_000;
  let calls = 0;
  const calling = setInterval(() => server.ask((calls += 1)), CALL_EVERY_MS);

  await sleep(startedAtMs + BEGIN_MS - Date.now());
  upstream.conduct = conduct;
  if (expires) upstream.expire(true);
  if (outage.freezes) server.signal('SIGSTOP');
  await engine.fail?.();
  await sleep(lastsMs);
  const pages = await readPages(server);
  upstream.conduct = 'answers';
  if (expires) upstream.expire(false);
  if (outage.freezes) server.signal('SIGCONT');
  await engine.recover?.();

  await sleep(startedAtMs + SCRAPES * SCRAPE_EVERY_MS - Date.now());
  clearInterval(calling);
  await server.replies.settled();
  const series = await prometheus.range(selectorOf(readFileSync(RULES, 'utf8')));
  const alerts = await prometheus.range('ALERTS{alertstate="firing"}');
  await prometheus.stop();
  await server.stop();
  const money = await accountOf(engine.url, { paid: server.replies.paid, billed: upstream.billed });
  upstream.close();
  await engine.remove();
  const file = join(FOLDER, 'outages', `${outage.name.replaceAll(' ', '-').toLowerCase()}.yaml`);
  const recorded = testOf(outage.name, { series, alerts, startedAt: prometheus.startedAt });
  writeFileSync(file, recorded);
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  const silent = outage.alerts.filter((alert) => !recorded.includes(`alertname="${alert}"`));
  if (status !== 0 || silent.length > 0 || !isExact(money)) process.exitCode = 1;
  const test = `${status === 0 ? 'passed' : stdout + stderr} ${silent.map((alert) => `${alert} was silent`).join(', ')}`;
  reportOutage(outage.name, server, { beganAtMs: startedAtMs + BEGIN_MS, alerts, pages, money, test });
}
