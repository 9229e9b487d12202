import { MANY_ORGANIZATIONS } from '../ledgers/ledger-case.js';
import { REQUESTS_PER_SECOND as EVENT_LOOP_RATE } from '../measurements/event-loop.js';
import { DIFFERENT_KEYS } from '../measurements/keys.js';
import { REQUESTS_PER_SECOND as OPEN_LOOP_RATE } from '../measurements/open-loop.js';
import { SATURATING_CONNECTIONS } from '../measurements/saturated.js';
import type { Results, Rounds } from '../results.js';
import { figure, figureOf, type Read, ratioOf } from '../statistics.js';
import { TARGETS, type Target } from '../targets.js';
import { count, megabytes, percent, short, table, withSpread } from './format.js';

export function section(title: string, text: string, body: string): string {
  return `## ${title}\n\n${text}\n\n${body}`;
}

export function answersSection({ saturated }: Results): string {
  const rows = present(saturated).map(([{ name, baseline }, rounds]) => {
    const base = saturated[baseline] ?? [];
    return [
      name,
      median(rounds, (round) => round.cpuMicrosPerRequest),
      withSpread(ratioOf(rounds, base, (round) => round.cpuMicrosPerRequest)),
      short(ratioOf(rounds, saturated.node ?? [], (round) => round.cpuMicrosPerRequest).median),
      median(rounds, (round) => round.requestsPerSecond),
      short(ratioOf(rounds, base, (round) => round.requestsPerSecond).median),
      median(rounds, (round) => round.p50Ms),
      median(rounds, (round) => round.p99Ms),
      megabytes(rounds.at(-1)?.rssBytes ?? 0),
      percent(figureOf(rounds, (round) => round.serverCpu).median),
    ];
  });
  const head = ['CPU µs/answer', 'CPU × same host', 'CPU × node', 'req/s', 'req/s × same host'];
  return unlessEmpty(
    rows,
    'Answers under full load',
    `${SATURATING_CONNECTIONS} connections, each with one request under way; the provider answers 2.3 kB at once. CPU is the server process's own; "same host" is the forwarder in the same host, for Portkey the one on node:http.`,
    ['server', ...head, 'p50 ms', 'p99 ms', 'RSS MB', 'CPU used'],
  );
}

export function latencySection({ openLoop }: Results): string {
  const rows = present(openLoop).map(([{ name }, rounds]) => [
    name,
    withSpread(figureOf(rounds, ({ addedP50Ms }) => addedP50Ms)),
    withSpread(figureOf(rounds, ({ addedP99Ms }) => addedP99Ms)),
  ]);
  return unlessEmpty(
    rows,
    `Added latency at ${OPEN_LOOP_RATE} requests per second`,
    'Open loop: each latency counts from the time the request was meant to be sent. The latency of the provider asked directly is taken off.',
    ['server', 'added p50 ms', 'added p99 ms'],
  );
}

export function eventLoopSection({ eventLoop }: Results): string {
  const rows = present(eventLoop).map(([{ name }, rounds]) => [
    name,
    median(rounds, ({ requestsPerSecond }) => requestsPerSecond),
    withSpread(figureOf(rounds, ({ p99Ms }) => p99Ms)),
  ]);
  return unlessEmpty(
    rows,
    'Event-loop delay',
    `How much later than planned a timer of the host runs, while answers are served at ${count(EVENT_LOOP_RATE)} per second or at what the server can keep.`,
    ['server', 'req/s', 'p99 ms'],
  );
}

export function modelsSection({ models }: Results): string {
  if (models === null) return '';
  const rows = present(models.rounds).map(([{ name, baseline }, rounds]) => {
    const base = models.rounds[baseline] ?? [];
    return [
      name,
      median(rounds, ({ full }) => full.requestsPerSecond),
      short(ratioOf(rounds, base, ({ full }) => full.requestsPerSecond).median),
      short(ratioOf(rounds, base, ({ full }) => full.cpuMicrosPerRequest).median),
      median(rounds, ({ notModified }) => notModified.requestsPerSecond),
      short(ratioOf(rounds, base, ({ notModified }) => notModified.requestsPerSecond).median),
      short(ratioOf(rounds, base, ({ notModified }) => notModified.cpuMicrosPerRequest).median),
    ];
  });
  return unlessEmpty(
    rows,
    'Listing the models',
    `\`GET /api/v1/models\`, ${models.entries} entries, ${short(models.bytes / 1_000)} kB. The forwarders write the same bytes from a prebuilt buffer straight to node's response and check no key.`,
    ['server', '200: req/s', '× same host', 'CPU × same host', '304: req/s', '× same host', 'CPU × same host'],
  );
}

export function ledgerSection({ ledger }: Results): string {
  if (ledger === null) return '';
  return unlessEmpty(
    [
      [count(MANY_ORGANIZATIONS), withSpread(figure(ledger.manyOrganizations))],
      ['1', withSpread(figure(ledger.oneOrganization))],
    ],
    'Memory ledger',
    'Hold + settle pairs per second, 64 callers, the ledger alone.',
    ['organizations', 'pairs per second'],
  );
}

export function startUpSection({ startUp }: Results): string {
  if (startUp === null) return '';
  return unlessEmpty(
    [
      ['import zod and undici', withSpread(figureOf(startUp.floor, ({ milliseconds }) => milliseconds))],
      [
        'import the core and its providers, createGateway',
        withSpread(figureOf(startUp.gateway, ({ milliseconds }) => milliseconds)),
      ],
    ],
    'Start-up',
    'Fresh processes, files in the cache of the operating system.',
    ['what', 'ms'],
  );
}

export function keysSection({ keys }: Results): string {
  if (keys === null) return '';
  const row = (keyCount: number, rounds: typeof keys.oneKey) => [
    count(keyCount),
    median(rounds, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
    median(rounds, ({ p50Ms }) => p50Ms),
    median(rounds, ({ p99Ms }) => p99Ms),
    megabytes(rounds.at(-1)?.rssBytes ?? 0),
  ];
  return unlessEmpty(
    [row(1, keys.oneKey), row(keys.keyCount, keys.manyKeys)],
    'Many keys',
    `The core in node:http, every key in an organization of its own, asked with ${count(DIFFERENT_KEYS)} different keys.`,
    ['keys', 'CPU µs/answer', 'p50 ms', 'p99 ms', 'RSS MB'],
  );
}

export function soakSection({ soaks }: Results): string {
  const rows = soaks.map(({ id, samples }) => {
    const at = (share: number) => samples.at(Math.round((samples.length - 1) * share))?.rssBytes ?? 0;
    const answers = samples.at(-1)?.requests ?? 0;
    return [nameOf(id), count(answers), ...[0, 0.25, 0.5, 0.75, 1].map((share) => megabytes(at(share)))];
  });
  return unlessEmpty(rows, 'Long run', 'RSS in MB over the run.', [
    'server',
    'answers',
    'begin',
    '25 %',
    '50 %',
    '75 %',
    'end',
  ]);
}

function unlessEmpty(rows: string[][], title: string, text: string, head: string[]): string {
  return rows.length === 0 ? '' : section(title, text, table(head, rows));
}

function median<Round>(rounds: readonly Round[], read: Read<Round>): string {
  return short(figureOf(rounds, read).median);
}

function nameOf(id: Target['id']): string {
  return TARGETS.find((target) => target.id === id)?.name ?? id;
}

function present<Round>(rounds: Rounds<Round>): [Target, readonly Round[]][] {
  return TARGETS.flatMap((target) => {
    const values = rounds[target.id];
    return values === undefined ? [] : [[target, values] as [Target, readonly Round[]]];
  });
}
