/**
 * Stages four outages of the packaged server at once, each with a server of its own: `npm run stage:outages`, four minutes. Scrapes `/metrics` every 15 s,
 * writes the recorded series with the alerts that have to fire to docs/grafana/alerts.test.yaml, and prints what logs, request log and webhooks say.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@searchgate-internal/test-servers';
import { openLedger } from '../open-ledger.js';
import { DIALECTS } from '../upstream-dialects.js';
import { inputSeries, type Scrape } from './recorded-series.js';
import { listen, removeFolder, type StagedServer, startStagedServer } from './staged-server.js';

const SCRAPE_EVERY_MS = 15_000;
const SCRAPES = 18;
const CALL_EVERY_MS = 500;
/** After the fifth scrape. */
const BEGIN_MS = 60_000;
const GONE_MS = 79_000;
/** How long a provider fails: until its alert has fired. */
const FAILS_MS = 121_000;
const REPLY = JSON.stringify(DIALECTS['/answer']?.reply('it'));
const FILE = fileURLToPath(new URL('../../../../docs/grafana/alerts.test.yaml', import.meta.url));

/** What Exa does during an outage. */
type Upstream = 'answers' | 'stalls' | 'refuses our key';

interface Outage {
  readonly name: string;
  /** The alerts that have to fire within two minutes, with their labels. */
  readonly alerts: readonly (readonly [name: string, labels: string])[];
  readonly credits: string;
  readonly organizations: number;
  readonly upstream: Upstream;
}

const OUTAGES: readonly Outage[] = [
  {
    name: 'PostgreSQL is gone for 79 seconds',
    alerts: [['SearchgateLedgerDown', 'severity="critical", store="ledger"']],
    credits: '100',
    organizations: 3,
    upstream: 'answers',
  },
  {
    name: 'a provider stalls',
    alerts: [
      ['SearchgateProviderPaused', 'severity="warning", provider="exa", scope="all"'],
      ['SearchgateProviderFails', 'severity="warning", provider="exa"'],
    ],
    credits: '100',
    organizations: 3,
    upstream: 'stalls',
  },
  {
    name: 'a provider refuses our key',
    alerts: [['SearchgateProviderAccount', 'severity="critical", provider="exa", outcome="upstream_auth_failed"']],
    credits: '100',
    organizations: 3,
    upstream: 'refuses our key',
  },
  {
    name: 'the credits of a customer end',
    alerts: [['SearchgateBudgetRefused', 'severity="warning", reason="organization_credits_exhausted"']],
    // For as many calls as there are before the outage.
    credits: '0.60',
    organizations: 1,
    upstream: 'answers',
  },
];

const postgres = await startPostgres({ ownServer: true });
const database = await postgres.createDatabase();
const recorded = await Promise.all(OUTAGES.map((outage, index) => stage(outage, index === 0 ? database : undefined)));
await postgres.stop();
writeFileSync(FILE, testsOf(recorded));

async function stage(outage: Outage, ledger: string | undefined): Promise<Scrape[]> {
  const behavior: { upstream: Upstream } = { upstream: 'answers' };
  const upstream = await listen((_request, response) => {
    if (behavior.upstream === 'answers') response.setHeader('content-type', 'application/json').end(REPLY);
    if (behavior.upstream === 'refuses our key') response.writeHead(401).end('{"error":"invalid api key"}');
  });
  const server = await startStagedServer({ ...outage, exaUrl: upstream.url, ledger });
  const beganAtMs = Date.now();
  let calls = 0;
  const calling = setInterval(() => server.ask((calls += 1)), CALL_EVERY_MS);
  const staging = sleep(BEGIN_MS).then(async () => {
    behavior.upstream = outage.upstream;
    if (ledger !== undefined) await postgres.kill();
    await sleep(ledger === undefined ? FAILS_MS : GONE_MS);
    behavior.upstream = 'answers';
    if (ledger !== undefined) await postgres.start();
  });
  const scrapes: Scrape[] = [];
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    await sleep(beganAtMs + scrape * SCRAPE_EVERY_MS - Date.now());
    scrapes.push(await server.scrape());
  }
  await staging;
  clearInterval(calling);
  upstream.close();
  await server.stop();
  await report(outage, server, { beganAtMs, ledger });
  removeFolder(server);
  return scrapes;
}

async function report(
  { name }: Outage,
  { folder, log, replies, webhooks }: StagedServer,
  { beganAtMs, ledger }: { readonly beganAtMs: number; readonly ledger: string | undefined },
): Promise<void> {
  const since = (atMs: number) => `${((atMs - beganAtMs - BEGIN_MS) / 1_000).toFixed(1)} s`;
  const notable = log.filter(({ msg, time }) => !/^(?:request|attempt) finished$/.test(msg) && time >= beganAtMs);
  const lines = [
    `\n${name}: times since its beginning`,
    `callers: ${JSON.stringify(Object.fromEntries(replies))}`,
    `request log: ${JSON.stringify(await loggedRequests(folder, ledger))}`,
    ...webhooks.map(({ type, atMs }) => `webhook ${since(atMs)} ${type}`),
    ...notable.map(
      ({ msg, time, level, downMs, leftOut }) =>
        `log ${since(time)} ${JSON.stringify({ level, msg, downMs, leftOut })}`,
    ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The rows of the request log by status and reason. */
async function loggedRequests(folder: string, url: string | undefined): Promise<Record<string, number>> {
  const { ledger, close } = await openLedger(url ?? `sqlite:${join(folder, 'ledger.db')}`);
  const counts: Record<string, number> = {};
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await ledger.requests.find({}, { limit: 1_000, cursor });
    for (const { status, reason } of rows)
      counts[`${status} ${reason ?? ''}`] = (counts[`${status} ${reason ?? ''}`] ?? 0) + 1;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  await close();
  return counts;
}

function testsOf(scrapes: readonly (readonly Scrape[])[]): string {
  const tests = OUTAGES.map(({ name, alerts }, index) => {
    const series = inputSeries(scrapes[index] ?? []).map(
      ({ series: each, values }) => `      - series: '${each}'\n        values: '${values}'\n`,
    );
    const fired = alerts.map(([alert, labels]) => {
      const firing = `alertname="${alert}", alertstate="firing", ${labels}`;
      const test = (time: string, samples: string) =>
        `      - eval_time: ${time}\n        expr: 'max_over_time(ALERTS{${firing}}[2m])'\n        exp_samples:${samples}`;
      return test('1m', ' []\n') + test('3m', `\n          - labels: '{${firing}}'\n            value: 1\n`);
    });
    return `  - name: ${name}\n    interval: 15s\n    input_series:\n${series.join('')}    promql_expr_test:\n${fired.join('')}`;
  });
  return `# Recorded by \`npm run stage:outages\`: scrapes every 15 s, two calls a second, the outage from 1:00 on. Each alert fires within two minutes.
rule_files: [alerts.yaml]
evaluation_interval: 15s
tests:
${tests.join('\n')}
  # Not recorded: without a process there is no scrape.
  - name: a process is gone
    interval: 15s
    input_series:
      - series: 'up{job="searchgate",instance="gate-1:9090"}'
        values: '1x4 0x20'
    alert_rule_test:
      - eval_time: 2m30s
        alertname: SearchgateDown
        exp_alerts:
          - exp_labels: { severity: critical, job: searchgate, instance: 'gate-1:9090' }
            exp_annotations:
              summary: gate-1:9090 gives no metrics
              description: The process has ended, hangs or cannot be reached.
              runbook_url: https://github.com/searchgate/searchgate/blob/main/docs/runbook.md#searchgatedown
`;
}
