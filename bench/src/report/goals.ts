import { MANY_ORGANIZATIONS } from '../ledgers/ledger-case.js';
import { REQUESTS_PER_SECOND } from '../measurements/event-loop.js';
import type { Results, Rounds } from '../results.js';
import { differenceOf, type Figure, figure, figureOf, type Read, ratioOf } from '../statistics.js';
import { TARGETS, type Target, type TargetId } from '../targets.js';
import { count, short } from './format.js';

/** One line of what the project has promised itself. */
export interface Goal {
  /** Which of the project's performance goals it belongs to. */
  readonly number: number;
  readonly text: string;
  readonly bound: { readonly atMost: number } | { readonly atLeast: number };
  readonly unit: string;
  /** Null when this run did not measure it. */
  readonly measured: Figure | null;
}

const BYTES_PER_MB = 1024 ** 2;
const CPU_BOUNDS: Partial<Record<TargetId, number>> = { core: 1.3, 'express-gateway': 1, 'koa-gateway': 1.25 };

export function verdict({ bound }: Pick<Goal, 'bound'>, measured: Figure): string {
  const word = meets(bound, measured.median) ? 'met' : 'not met';
  if (measured.rounds === 1) return `${word}, one round`;
  return meets(bound, measured.low) === meets(bound, measured.high) ? word : `${word}, close`;
}

export function boundText({ bound, unit }: Pick<Goal, 'bound' | 'unit'>): string {
  return 'atMost' in bound ? `≤ ${short(bound.atMost)}${unit}` : `≥ ${short(bound.atLeast)}${unit}`;
}

function meets(bound: Goal['bound'], value: number): boolean {
  return 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
}

export function goalsOf(results: Results): Goal[] {
  const gateways = TARGETS.filter(({ kind }) => kind === 'gateway');
  const forEach = (goal: (results: Results, target: Target) => Goal) => gateways.map((target) => goal(results, target));
  return [
    ...forEach(cpuGoal),
    ...forEach(peerGoal),
    ...forEach(addedLatencyGoal),
    ...forEach(saturatedLatencyGoal),
    ...forEach(eventLoopGoal),
    ...forEach(modelsGoal),
    ...forEach(notModifiedGoal),
    ...soakGoals(results),
    ...keyGoals(results),
    ...startUpGoals(results),
    ...ledgerGoals(results),
  ];
}

function cpuGoal({ saturated }: Results, { id, name, baseline }: Target): Goal {
  return {
    number: 1,
    text: `CPU per answer: ${name} ÷ the forwarder in the same host`,
    bound: { atMost: CPU_BOUNDS[id] ?? 1 },
    unit: ' ×',
    measured: compare(saturated, [id, baseline], ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
  };
}

function peerGoal({ saturated }: Results, { id, name }: Target): Goal {
  return {
    number: 2,
    text: `CPU per answer: Portkey ÷ ${name}`,
    bound: { atLeast: 5 },
    unit: ' ×',
    measured: compare(saturated, ['portkey', id], ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
  };
}

function addedLatencyGoal({ openLoop }: Results, { id, name, baseline }: Target): Goal {
  return {
    number: 2,
    text: `Added p99 at 300 req/s: ${name} − the forwarder in the same host`,
    bound: { atMost: 1 },
    unit: ' ms',
    measured: compare(openLoop, [id, baseline], ({ addedP99Ms }) => addedP99Ms, differenceOf),
  };
}

function saturatedLatencyGoal({ saturated }: Results, { id, name, baseline }: Target): Goal {
  return {
    number: 3,
    text: `p99 under full load: ${name} ÷ the forwarder in the same host`,
    bound: { atMost: 1.5 },
    unit: ' ×',
    measured: compare(saturated, [id, baseline], ({ p99Ms }) => p99Ms),
  };
}

function eventLoopGoal({ eventLoop }: Results, { id, name }: Target): Goal {
  const rounds = eventLoop[id];
  const rate = rounds?.[0]?.requestsPerSecond ?? REQUESTS_PER_SECOND;
  const load = `${count(rate)} req/s${rate < REQUESTS_PER_SECOND ? ', more it cannot keep' : ''}`;
  return {
    number: 3,
    text: `Event-loop delay p99 at ${load}: ${name}`,
    bound: { atMost: 15 },
    unit: ' ms',
    measured: rounds === undefined ? null : figureOf(rounds, ({ p99Ms }) => p99Ms),
  };
}

/** Judged by the worse of requests per second and CPU, since the load generator may be what limits the former. */
function modelsGoal({ models }: Results, { id, name, baseline }: Target): Goal {
  const rounds = models?.rounds ?? {};
  const perSecond = compare(rounds, [id, baseline], ({ full }) => full.requestsPerSecond);
  const perCpu = compare(rounds, [id, baseline], ({ full }) => 1 / full.cpuMicrosPerRequest);
  return {
    number: 4,
    text: `GET /models: ${name} ÷ a prebuilt buffer in the same host`,
    bound: { atLeast: 0.95 },
    unit: ' ×',
    measured: perSecond !== null && perCpu !== null && perCpu.median < perSecond.median ? perCpu : perSecond,
  };
}

function notModifiedGoal({ models }: Results, { id, name }: Target): Goal {
  const own = models?.rounds[id];
  const speedUp = own?.map(({ notModified, full }) => notModified.requestsPerSecond / full.requestsPerSecond);
  return {
    number: 4,
    text: `GET /models, 304 ÷ 200: ${name}`,
    bound: { atLeast: 1 },
    unit: ' ×',
    measured: speedUp === undefined ? null : figure(speedUp),
  };
}

function soakGoals({ soaks }: Results): Goal[] {
  const rss = (samples: (typeof soaks)[number]['samples'], index: number) => samples.at(index)?.rssBytes ?? Number.NaN;
  const worst = (values: number[]) => (values.length === 0 ? null : figure([Math.max(...values)]));
  return [
    {
      number: 5,
      text: 'RSS after a million answers, the largest',
      bound: { atMost: 150 },
      unit: ' MB',
      measured: worst(soaks.map(({ samples }) => rss(samples, -1) / BYTES_PER_MB)),
    },
    {
      number: 5,
      text: 'RSS after a million answers ÷ after half of them',
      bound: { atMost: 1.05 },
      unit: ' ×',
      measured: worst(soaks.map(({ samples }) => rss(samples, -1) / rss(samples, samples.length >> 1))),
    },
  ];
}

function keyGoals({ keys }: Results): Goal[] {
  return [
    {
      number: 5,
      text: 'Heap for one more key and its organization (300 bytes each)',
      bound: { atMost: 600 },
      unit: ' bytes',
      measured: keys === null ? null : figure([keys.bytesPerKeyAndOrganization]),
    },
    {
      number: 5,
      text: `p50 with ${keys === null ? 'a million' : count(keys.keyCount)} keys ÷ with one`,
      bound: { atMost: 1.1 },
      unit: ' ×',
      measured: keys === null ? null : ratioOf(keys.manyKeys, keys.oneKey, ({ p50Ms }) => p50Ms),
    },
  ];
}

function startUpGoals({ startUp }: Results): Goal[] {
  return [
    {
      number: 6,
      text: 'Import + createGateway ÷ importing zod and undici alone',
      bound: { atMost: 1.3 },
      unit: ' ×',
      measured: startUp === null ? null : ratioOf(startUp.gateway, startUp.floor, ({ milliseconds }) => milliseconds),
    },
    {
      number: 6,
      text: 'Timers, sockets and the like opened by the imports',
      bound: { atMost: 0 },
      unit: '',
      measured: startUp === null ? null : figureOf(startUp.gateway, ({ activeResources }) => activeResources.length),
    },
  ];
}

function ledgerGoals({ ledger }: Results): Goal[] {
  const shared = { number: 7, bound: { atLeast: 500_000 }, unit: ' per second' };
  return [
    {
      ...shared,
      text: `Memory ledger, hold + settle on ${count(MANY_ORGANIZATIONS)} organizations`,
      measured: ledger === null ? null : figure(ledger.manyOrganizations),
    },
    {
      ...shared,
      text: 'Memory ledger, hold + settle on one organization',
      measured: ledger === null ? null : figure(ledger.oneOrganization),
    },
  ];
}

/** One server against another, round by round; null when either took no part. */
function compare<Round>(
  rounds: Rounds<Round>,
  [id, baseline]: readonly [TargetId, TargetId],
  read: Read<Round>,
  against: (rounds: readonly Round[], base: readonly Round[], read: Read<Round>) => Figure = ratioOf,
): Figure | null {
  const own = rounds[id];
  const base = rounds[baseline];
  return own === undefined || base === undefined ? null : against(own, base, read);
}
