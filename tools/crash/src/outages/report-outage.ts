import type { Account } from './account-of-money.js';
import type { Series } from './prometheus.js';
import type { StagedServer } from './staged-server.js';

/** What was seen of an outage. */
interface Seen {
  readonly beganAtMs: number;
  /** The series of firing alerts. */
  readonly alerts: readonly Series[];
  readonly pages: readonly string[];
  readonly money: Account;
  /** What promtool says of the recorded series. */
  readonly test: string;
}

/** The newest of each list: the view of the same address shows it. */
const CALLS = ['status=5', 'status=402', 'rescued=true'].map((filter) => `requests?limit=1&${filter}`);
const DAY_MS = 24 * 3_600_000;
/** Long lists of numbers by minute. */
const UNREAD = new Set(['minutes', 'slots']);

/** What the views of the page show now. */
export function readPages(server: StagedServer): Promise<string[]> {
  const read = async (path: string) => {
    const reply = await server.page(path);
    return JSON.stringify(reply, (name, value: unknown) => (UNREAD.has(name) ? undefined : value)).slice(0, 900);
  };
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const attempts = `statistics?of=attempts&by=provider&measure=p95_ms&since=${since}`;
  const paths = ['health', ...CALLS, 'keys', 'organizations', attempts];
  return Promise.all(paths.map(async (path) => `page ${path}: ${await read(path).catch(String)}`));
}

/** Whether the ledger agrees with itself, with the callers and with the upstream. A call whose reply was lost may be charged. */
export function isExact({ paid, billed, charged, lost, differences, openHolds }: Account): boolean {
  return differences === 0 && openHolds === 0 && charged >= paid && charged + lost >= billed;
}

export function reportOutage(name: string, { log, replies, webhooks }: StagedServer, seen: Seen): void {
  const { alerts, pages, money, test } = seen;
  const since = (atMs: number) => `${((atMs - seen.beganAtMs) / 1_000).toFixed(1)} s`;
  const { logged, ...amounts } = money;
  const lines = [
    `\n${name}: times since its beginning; the test of the recorded series: ${test}`,
    ...[...replies.byName].map(
      ([reply, { count, slowestMs }]) => `callers: ${count} × ${reply}, within ${slowestMs} ms`,
    ),
    `money ${isExact(money) ? 'is exact' : 'IS WRONG'}: ${Object.entries(amounts).join(' ')}`,
    `request log: ${JSON.stringify(logged)}`,
    ...alerts.map(
      ({ metric, values: [first] }) =>
        `alert ${since((first?.[0] ?? 0) * 1_000)} ${Object.values(metric).slice(1).join(' ')}`,
    ),
    ...pages,
    ...webhooks.map(({ type, atMs }) => `webhook ${since(atMs)} ${type}`),
    ...linesOf(log, seen.beganAtMs).map(([line, { count, atMs }]) => `log ${since(atMs)} ${count} × ${line}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The lines of the log since then, each once, with the time of its first. */
function linesOf(log: StagedServer['log'], sinceMs: number) {
  const lines = new Map<string, { count: number; atMs: number }>();
  for (const { time, msg, level, error } of log) {
    if (time < sinceMs || /^(?:request|attempt) finished$/.test(msg)) continue;
    const line = `${level} ${msg} ${error?.message ?? ''}`;
    const { count, atMs } = lines.get(line) ?? { count: 0, atMs: time };
    lines.set(line, { count: count + 1, atMs });
  }
  return [...lines];
}
