import type { Administration } from '@searchgate/core/administration';
import { addSums, formatUsd, type MutableSums, noUsage, type UsageGroup } from '@searchgate/core/ledger';
import type { Figures, StatisticsBy } from './contract.js';
import { type Asked, CHARTED, type Counted, countOf, inOrder, type Spans, widened } from './counted.js';
import { isoTime } from './exchange.js';
import { Problem } from './problem.js';

const MAX_DAYS = 400;
/** Most statements of a day, one for each organization: a ledger reads all of its sums for each. */
const MAX_STATEMENTS = 62;
const GROUPS: readonly StatisticsBy[] = ['key', 'tag', 'organization', 'model'];
const KNOWN = 'charges are known by organization, key, tag or model alone, of an organization';

type Sums = ReadonlyMap<string, MutableSums>;

/** Counts charges from the sums of the ledger, which are of whole days. */
export async function countInLedger({ statement }: Administration, asked: Asked): Promise<Counted> {
  checkAsked(asked);
  const spans = widened('day', asked);
  const days = daysOf(spans);
  if (days.length > MAX_DAYS) throw new Problem(400, `must be at most ${MAX_DAYS} days before`, 'since');
  const { organizations = [undefined] } = asked;

  /** Of the visible organizations together. */
  async function read(by: UsageGroup, { sinceMs, untilMs }: Spans): Promise<Sums> {
    const range = { from: dateOf(sinceMs), to: dateOf(untilMs) };
    const sums = new Map<string, MutableSums>();
    for (const organizationId of organizations)
      for (const { group, ...row } of await statement({ by, organizationId, ...range })) {
        const known = sums.get(group ?? '') ?? noUsage();
        addSums(known, row);
        sums.set(group ?? '', known);
      }
    return sums;
  }

  const total = await read('day', spans);
  const figures = {
    ...figuresOf(sumOf(total)),
    slots: days.map(({ sinceMs }) => figuresOf(total.get(dateOf(sinceMs)) ?? noUsage())),
  };
  const by = asked.by[0] as Exclude<UsageGroup, 'day' | 'budget'> | undefined;
  if (by === undefined) return { spans, groups: [], total: figures };
  const groups = [...(await read(by, spans))].map(([name, sums]) => ({ group: [name], ...figuresOf(sums) }));
  const isDaily = days.length * organizations.length <= MAX_STATEMENTS;
  const ofDays: Sums[] = [];
  if (isDaily) for (const day of days) ofDays.push(await read(by, day));
  const slotsOf = (name = '') => ofDays.map((sums) => figuresOf(sums.get(name) ?? noUsage()));
  const data = inOrder(groups, asked.measure).map((group, at) => {
    return { ...group, slots: isDaily && at < CHARTED ? slotsOf(group.group[0]) : null };
  });
  return { spans, groups: data, total: figures };
}

function checkAsked({ by, of, measure, ...filters }: Asked): void {
  if (of === 'attempts') throw new Problem(400, `must be calls: ${KNOWN}`, 'of');
  if (measure !== 'cost' && measure !== 'calls') throw new Problem(400, `must be cost or calls: ${KNOWN}`, 'measure');
  if (by.length > 1 || !by.every((each) => GROUPS.includes(each))) throw new Problem(400, KNOWN, 'by');
  const unknown = (['kind', 'model', 'provider'] as const).find((name) => filters[name] !== undefined);
  if (unknown !== undefined) throw new Problem(400, `must be missing: ${KNOWN}`, unknown);
}

function daysOf(spans: Spans): readonly Spans[] {
  return Array.from({ length: countOf(spans) }, (_, at) => {
    const sinceMs = spans.sinceMs + at * spans.stepMs;
    return { ...spans, sinceMs, untilMs: sinceMs + spans.stepMs };
  });
}

function sumOf(sums: Sums): MutableSums {
  const total = noUsage();
  for (const each of sums.values()) addSums(total, each);
  return total;
}

const dateOf = (atMs: number) => isoTime(atMs).slice(0, 10);

function figuresOf({ charges, charged }: MutableSums): Figures {
  return { calls: charges, failures: null, rescued: null, cost: formatUsd(charged), p50_ms: null, p95_ms: null };
}
