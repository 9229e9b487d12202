import { type Administration, csvText, type RequestAdministration } from '@searchgate/core/administration';
import type { StatisticsQuery } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Figures, Statistics, StatisticsBy } from './contract.js';
import { type Counted, countOf } from './counted.js';
import { csvDownload, csvLines } from './csv.js';
import { type Exchange, isoTime, json, type Routes, readQuery } from './exchange.js';
import { countInLedger } from './ledger-statistics.js';
import { countInLog } from './log-statistics.js';
import { Problem } from './problem.js';
import { logFilter, time } from './requests.js';
import { knownKeys } from './usage.js';

const MAX_GROUPS = 500;
const BY: readonly string[] = ['kind', 'model', 'provider', 'organization', 'outcome', 'key', 'tag'];
const FIGURES = ['calls', 'failures', 'rescued', 'cost', 'p50_ms', 'p95_ms'] as const satisfies (keyof Figures)[];

const isBy = (by: string) => {
  const names = namesIn(by);
  return names.length <= 2 && new Set(names).size === names.length && names.every((each) => BY.includes(each));
};
const isOfLedger = (by: StatisticsBy) => by === 'key' || by === 'tag';
const namesIn = (by: string) => (by === '' ? [] : by.split(',')) as StatisticsBy[];
const text = z
  .string()
  .regex(/^\P{C}{1,512}$/u, 'must be 1 to 512 characters')
  .optional();

export const statisticsQuery = z.strictObject({
  by: z
    .string()
    .refine(isBy, `must be at most two of ${BY.join(', ')}, such as "model,kind"`)
    .default('')
    .transform(namesIn),
  of: z.enum(['calls', 'attempts']).default('calls'),
  measure: z.enum(FIGURES).default('cost'),
  since: time,
  until: time.optional(),
  kind: text,
  model: text,
  provider: text,
  organization: text,
});

/** What was called over time, from the sums of the request log; by key and by tag, and of a host without a log, from those of the ledger. */
export function statisticsRoutes(administration: Administration): Routes {
  const { requests } = administration;

  async function read(exchange: Exchange): Promise<Statistics> {
    const { organization, since, until, ...asked } = readQuery(exchange, statisticsQuery);
    const nowMs = exchange.clock.now();
    const { organizations } = logFilter(exchange.scope, { organization, since, until });
    if (since > nowMs) throw new Problem(400, 'must be before now', 'since');
    const of = { ...asked, organizations, sinceMs: since, untilMs: Math.min(until ?? nowMs + 1, nowMs + 1) };
    if (requests !== null && !asked.by.some(isOfLedger))
      return statisticsOf(asked, await countInLog((query) => sumsOf(requests, query), of, nowMs));
    const statistics = statisticsOf(asked, await countInLedger(administration, of));
    if (!asked.by.includes('key')) return statistics;
    const keys = await knownKeys(administration, organizations);
    const data = statistics.data.map((row) => ({ ...row, ...keys.get(row.group[0] ?? '') }));
    return { ...statistics, data };
  }

  return {
    'api/v1/statistics': { GET: async (exchange) => json(await read(exchange)) },
    'api/v1/statistics.csv': {
      async GET(exchange) {
        const statistics = await read(exchange);
        const { of, by, since, until } = statistics;
        const name = [of, ...by, since.slice(0, 10), until.slice(0, 10)].join('-');
        return csvDownload(`${name}.csv`, csvOf(statistics));
      },
    },
  };
}

/** @throws Problem 400 where a log would have to read more sums than it does at once. */
async function sumsOf(requests: RequestAdministration, query: StatisticsQuery) {
  try {
    return await requests.statistics(query);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Problem(400, 'has more sums than can be read: choose a shorter time, or one organization', 'since');
  }
}

function statisticsOf({ by, of }: Pick<Statistics, 'by' | 'of'>, { spans, groups, total }: Counted): Statistics {
  const { step, stepMs, sinceMs, untilMs } = spans;
  return {
    by,
    of,
    step,
    since: isoTime(sinceMs),
    until: isoTime(untilMs),
    times: Array.from({ length: countOf(spans) }, (_, at) => isoTime(sinceMs + at * stepMs)),
    total,
    data: groups.slice(0, MAX_GROUPS),
    omitted: Math.max(0, groups.length - MAX_GROUPS),
  };
}

/** A line for each group; of one group a line for each span. */
function csvOf({ by, data, times, total }: Statistics): string {
  const cells = (figures: Figures) => FIGURES.map((figure) => figures[figure] ?? '');
  const lines =
    by.length > 0
      ? data.map((row) => [...row.group.map(csvText), ...cells(row)])
      : times.map((at, index) => [at, ...cells(total.slots[index] ?? total)]);
  return csvLines([[...(by.length > 0 ? by : ['time']), ...FIGURES], ...lines]);
}
