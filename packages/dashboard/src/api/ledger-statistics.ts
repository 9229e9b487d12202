import type { Administration } from '@searchgate/core/administration';
import { addSums, formatUsd, type MutableSums, noUsage, STEPS_MS, type UsageGroup } from '@searchgate/core/ledger';
import type { Figures, StatisticsBy } from './contract.js';
import { type Asked, CHARTED, type Counted, countOf, inOrder, type Spans, widened } from './counted.js';
import { isoTime } from './exchange.js';
import { Problem } from './problem.js';

const MAX_DAYS = 400;
/** Most statements of a day, one for each organization: a ledger reads all of its sums for each. */
const MAX_STATEMENTS = 62;
const GROUPS: readonly StatisticsBy[] = ['key', 'tag', 'organization', 'model'];
const KNOWN = 'charges are known by organization, key, tag or model alone, of an organization or a key';

type Sums = ReadonlyMap<string, MutableSums>;
type Owner = { readonly organizationId?: string | undefined; readonly keyId?: string | undefined };

/** Counts charges from the sums of the ledger, which are of whole days. */
export async function countInLedger({ statement }: Administration, asked: Asked): Promise<Counted> {
  checkAsked(asked);
  const spans = widened('day', STEPS_MS.day, asked);
  const days = daysOf(spans);
  if (days.length > MAX_DAYS) throw new Problem(400, `must be at most ${MAX_DAYS} days before`, 'since');

  /** Of the visible organizations together. */
  async function read(by: UsageGroup, { sinceMs, untilMs }: Spans, owner: Owner = {}): Promise<Sums> {
    const { organizations = [undefined], key } = asked;
    const range = { from: dateOf(sinceMs), to: dateOf(untilMs) };
    const sums = new Map<string, MutableSums>();
    for (const organizationId of owner.organizationId === undefined ? organizations : [owner.organizationId])
      for (const { group, ...row } of await statement({ by, keyId: owner.keyId ?? key, organizationId, ...range })) {
        const known = sums.get(group ?? '') ?? noUsage();
        addSums(known, row);
        sums.set(group ?? '', known);
      }
    return sums;
  }

  const by = (asked.tag === undefined ? asked.by[0] : 'tag') as Exclude<UsageGroup, 'day' | 'budget'> | undefined;
  const groups = [...(by === undefined ? [] : await read(by, spans))]
    .filter(([name]) => asked.tag === undefined || asked.tag === name)
    .map(([name, sums]) => ({ group: [name], ...figuresOf(sums) }));
  const ordered = inOrder(groups, asked.measure);
  const isDaily = days.length * (asked.organizations?.length ?? 1) <= MAX_STATEMENTS;
  const ofDays = (by === 'tag' || by === 'model') && isDaily ? await inTurn(days, (day) => read(by, day)) : undefined;
  const slotsOf = (sums: Sums) => days.map(({ sinceMs }) => figuresOf(sums.get(dateOf(sinceMs)) ?? noUsage()));
  const slots = await inTurn(ordered.slice(0, CHARTED), async ({ group: [name = ''] }) => {
    if (by === 'key') return slotsOf(await read('day', spans, { keyId: name }));
    if (by === 'organization') return slotsOf(await read('day', spans, { organizationId: name }));
    return ofDays?.map((sums) => figuresOf(sums.get(name) ?? noUsage())) ?? null;
  });
  const data = ordered.map((group, at) => ({ ...group, slots: slots[at] ?? null }));
  if (asked.tag !== undefined) {
    if (!isDaily) throw new Problem(400, `is known of ${MAX_STATEMENTS} days of an organization at most`, 'tag');
    const [total = { ...figuresOf(noUsage()), slots: slotsOf(new Map()) }] = data;
    return { spans, groups: asked.by.length === 0 ? [] : data, total: { ...total, slots: total.slots ?? [] } };
  }
  const total = await read('day', spans);
  return { spans, groups: data, total: { ...figuresOf(sumOf(total)), slots: slotsOf(total) } };
}

function checkAsked({ by, of, measure, tag, ...filters }: Asked): void {
  if (of === 'attempts') throw new Problem(400, `must be calls: ${KNOWN}`, 'of');
  if (measure !== 'cost' && measure !== 'calls') throw new Problem(400, `must be cost or calls: ${KNOWN}`, 'measure');
  const isKnown = by.length < 2 && by.every((each) => (tag === undefined ? GROUPS.includes(each) : each === 'tag'));
  if (!isKnown) throw new Problem(400, tag === undefined ? KNOWN : 'must be tag, or missing, of one tag', 'by');
  const unknown = (['kind', 'model', 'provider'] as const).find((name) => filters[name] !== undefined);
  if (unknown !== undefined) throw new Problem(400, `must be missing: ${KNOWN}`, unknown);
}

function daysOf(spans: Spans): readonly Spans[] {
  return Array.from({ length: countOf(spans) }, (_, at) => {
    const sinceMs = spans.sinceMs + at * spans.stepMs;
    return { ...spans, sinceMs, untilMs: sinceMs + spans.stepMs };
  });
}

async function inTurn<T, Result>(all: readonly T[], work: (each: T) => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const each of all) results.push(await work(each));
  return results;
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
