import { formatUsd, parseUsd } from '@searchgate/core';
import type { LedgerEntry } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import type { UsageLine } from '../src/api/contract.js';
import { csvOf } from '../src/api/usage.js';
import { openStage, removePages, type Stage, spend } from './stage.js';

removePages();

const DAY_MS = 86_400_000;

interface Charged {
  readonly organizationId: string;
  readonly keyId: string;
  readonly model: string;
  readonly cost: bigint;
  readonly tag?: string;
  readonly isCached?: boolean;
}

let holds = 0;

/** Writes a charge to the ledger, as a gateway would. */
async function charge({ ledger, clock }: Stage, { cost, model, isCached = false, ...owner }: Charged): Promise<void> {
  holds += 1;
  const holdId = `hold-${holds}`;
  await ledger.hold({ ...owner, holdId, model, keyLimit: null, amount: cost, expiresAtMs: clock.now() + 1_000 });
  const losses = [{ model, provider: 'exa', cost: 3n, reason: 'upstream_timeout' }];
  const costs = { cost, costSource: isCached ? 'cached' : 'flat', upstreamCost: isCached ? 0n : cost / 2n } as const;
  await ledger.settle(holdId, { model, provider: 'exa', ...costs, ...(!isCached && { losses }) });
}

const ACME = { organizationId: 'acme', keyId: 'sg_1', model: 'exa/answer', cost: 1_000_000n };

/** Ten days of charges for two organizations, ending today. */
async function tenDays(stage: Stage): Promise<void> {
  for (let day = 0; day < 10; day += 1) {
    if (day > 0) await stage.clock.advance(DAY_MS);
    await charge(stage, { ...ACME, cost: BigInt(day + 1) * 1_000_000n, tag: day % 2 === 0 ? 'even' : 'odd' });
    await charge(stage, { ...ACME, keyId: 'sg_2', model: 'you/answer', isCached: true });
    await charge(stage, { ...ACME, organizationId: 'globex', keyId: 'sg_3', cost: 5_000_000n });
  }
  await stage.ledger.adjust({ adjustmentId: 'refund', organizationId: 'acme', amount: -1_000n, note: 'refund' });
}

async function allEntries({ ledger }: Stage): Promise<readonly LedgerEntry[]> {
  const { entries, nextCursor } = await ledger.entries({ limit: 1_000 });
  expect(nextCursor).toBeNull();
  return entries;
}

const dayOf = (entry: LedgerEntry) => new Date(entry.atMs).toISOString().slice(0, 10);
const GROUPS: Record<string, (entry: LedgerEntry) => string | null> = {
  organization: ({ organizationId }) => organizationId,
  key: ({ keyId }) => keyId ?? null,
  model: (entry) => ('model' in entry ? entry.model : null),
  tag: (entry) => ('tag' in entry ? (entry.tag ?? null) : null),
  day: dayOf,
};

/** The sums of the log, computed independently. */
function figures(entries: readonly LedgerEntry[]) {
  const sum = (kind: string, of: (entry: LedgerEntry) => bigint = ({ amount }) => amount) =>
    entries.filter((entry) => entry.kind === kind).reduce((total, entry) => total + of(entry), 0n);
  const charges = entries.filter(({ kind }) => kind === 'charge');
  return {
    requests: charges.length,
    charged: formatUsd(sum('charge')),
    cached_requests: charges.filter((entry) => 'costSource' in entry && entry.costSource === 'cached').length,
    upstream_cost: formatUsd(sum('charge', (entry) => ('upstreamCost' in entry ? (entry.upstreamCost ?? 0n) : 0n))),
    lost: formatUsd(sum('loss')),
    granted: formatUsd(sum('grant')),
    adjusted: formatUsd(sum('adjustment')),
  };
}

const BETWEEN = 'from=2026-11-24&to=2026-11-28';
const isBetween = (entry: LedgerEntry) => dayOf(entry) >= '2026-11-24' && dayOf(entry) <= '2026-11-28';

describe('api/v1/usage', () => {
  it.each(Object.keys(GROUPS))('by %s equals the log, for users who see all or some organizations', async (by) => {
    const stage = openStage();
    await tenDays(stage);
    const entries = await allEntries(stage);
    const groupOf = GROUPS[by]!;
    for (const [user, query, isSeen] of [
      ['viewer', 'from=2026-11-21', () => true],
      ['viewer', BETWEEN, isBetween],
      ['viewer', `${BETWEEN}&organization=acme`, (entry) => isBetween(entry) && entry.organizationId === 'acme'],
      ['viewer', `${BETWEEN}&key=sg_2`, (entry) => isBetween(entry) && entry.keyId === 'sg_2'],
      ['acmeViewer', BETWEEN, (entry) => isBetween(entry) && entry.organizationId === 'acme'],
      ['twoOperator', BETWEEN, (entry) => isBetween(entry) && entry.organizationId !== 'house'],
    ] as const satisfies readonly (readonly [string, string, (entry: LedgerEntry) => boolean])[]) {
      const { json } = await stage.call(user, 'GET', '/api/v1/usage', { query: `by=${by}&${query}` });
      const seen = entries.filter(isSeen);
      const groups = new Set(seen.map(groupOf));
      const named = [...groups].filter((group) => group !== null).sort();
      const expected = [...named, ...(groups.has(null) ? [null] : [])].map((group) => ({
        group,
        ...figures(seen.filter((entry) => groupOf(entry) === group)),
      }));
      // By day, days without usage are included.
      const empty = JSON.stringify(figures([]));
      expect(json.data.filter((row: UsageLine) => JSON.stringify({ ...row, group: undefined }) !== empty)).toEqual(
        expected,
      );
      expect(json).toMatchObject({ by, total: figures(seen), omitted: 0 });
    }
  });

  it('has the labels of keys', async () => {
    const stage = openStage();
    const key = await spend(stage, 'acme', 1, 'nightly report');
    const { json } = await stage.call('viewer', 'GET', '/api/v1/usage', { query: 'by=key' });
    expect(json.data[0]).toMatchObject({ group: key, label: 'nightly report' });
    expect(json.data[1]).toMatchObject({ group: null });
  });

  it('has every day of the range, even without usage, and defaults to the last 30 days', async () => {
    const { call } = openStage();
    const { json } = await call('viewer', 'GET', '/api/v1/usage', { query: 'by=day&organization=none' });
    const days = json.data.map(({ group }: { group: string }) => group);
    expect([days.length, days[0], days.at(-1)]).toEqual([30, '2026-10-23', '2026-11-21']);
    expect(new Set(days).size).toBe(30);
    expect(json.total).toMatchObject({ requests: 0, charged: '0' });
  });

  it('has the 1,000 groups with the highest charges, in order, and the total of all groups', async () => {
    const stage = openStage();
    for (let index = 0; index < 1_003; index += 1) {
      const name = String(index).padStart(4, '0');
      await charge(stage, { ...ACME, keyId: `key-${name}`, cost: index === 500 ? 1n : BigInt(2_000 + index) });
    }
    const { json } = await stage.call('viewer', 'GET', '/api/v1/usage', { query: 'by=key&organization=acme' });
    const names: string[] = json.data.map(({ group }: { group: string }) => group);
    // The row without a key has the grants and no charges.
    expect([json.omitted, names.length, names.includes('key-0500'), names[0]]).toEqual([4, 1_000, false, 'key-0002']);
    expect(names).toEqual([...names].sort());
    expect(json.total).toEqual(figures((await allEntriesOf(stage, 'acme')).flat()));
  });

  it.each([
    ['', 'by'],
    ['by=hour', 'by'],
    ['by=day&from=yesterday', 'from'],
    ['by=day&from=2026-02-30', 'from'],
    ['by=day&to=2026-11-21T00:00:00Z', 'to'],
    ['by=day&from=2026-11-22&to=2026-11-21', 'from'],
    ['by=day&from=1969-12-31&to=1970-01-02', 'from'],
    ['by=day&from=9999-12-31&to=9999-12-31', 'from'],
    ['by=day&to=9999-12-31', 'to'],
    ['by=day&to=1969-12-31', 'to'],
    ['by=day&by=model', 'by'],
    ['by=day&organization=acme&organization=globex', 'organization'],
    ['by=day&from=2020-01-01&to=2026-11-21', 'from'],
    ['by=day&org=acme', 'org'],
    ['by=day&organization=two words', 'organization'],
    ['by=day&key=two words', 'key'],
  ])('refuses %j, naming the parameter', async (query, field) => {
    const { status, json } = await openStage().call('viewer', 'GET', '/api/v1/usage', { query });
    expect([status, json.error.field]).toEqual([400, field]);
  });

  it('names the first day if it is after today and no last day was sent', async () => {
    const { json } = await openStage().call('viewer', 'GET', '/api/v1/usage', { query: 'by=day&from=2026-12-21' });
    expect(json.error).toEqual({ message: 'must be a day at or before today', field: 'from' });
  });

  it('reveals no foreign key, and no unused key of the host', async () => {
    const stage = openStage();
    await tenDays(stage);
    const ask = async (key: string) =>
      (await stage.call('acmeViewer', 'GET', '/api/v1/usage', { query: `by=day&key=${key}` })).status;
    expect([await ask('sg_1'), await ask('sg_3'), await ask('sg_none')]).toEqual([200, 404, 404]);
  });
});

describe('the forecast', () => {
  const ask = async (stage: Stage, query: string) =>
    (await stage.call('acmeViewer', 'GET', '/api/v1/usage', { query: `by=model&${query}` })).json.forecast as
      | string
      | null;

  it('uses the average of the last seven whole days, from today to the end of the month', async () => {
    const stage = openStage();
    // 21 to 30 November: today, the 30th, is the last day of the month.
    await tenDays(stage);
    const perDay = (day: number) => parseUsd('0.001') * BigInt(day - 20 + 1);
    const before = Array.from({ length: 9 }, (_, index) => perDay(21 + index)).reduce((sum, amount) => sum + amount);
    const expected = before + perDay(30);
    expect(await ask(stage, 'from=2026-11-21')).toBe(formatUsd(expected));
    // 1 December: the average of 24 to 30 November, for 31 days.
    await stage.clock.advance(DAY_MS);
    const average =
      Array.from({ length: 7 }, (_, index) => perDay(24 + index)).reduce((sum, amount) => sum + amount) / 7n;
    expect(await ask(stage, 'from=2026-11-01')).toBe(formatUsd(average * 31n));
  });

  it('averages fewer days of a shorter range, and uses today’s charges if higher', async () => {
    const stage = openStage();
    await charge(stage, { ...ACME, cost: 4n });
    await stage.clock.advance(DAY_MS);
    await charge(stage, { ...ACME, cost: 10n });
    // 22 November: 4 yesterday, 10 today, 4 on each of the 8 days to come.
    expect(await ask(stage, 'from=2026-11-21')).toBe(formatUsd(4n + 10n + 8n * 4n));
  });

  it('is null if the range does not end today, or has no whole day', async () => {
    const stage = openStage();
    await charge(stage, ACME);
    expect(await ask(stage, 'from=2026-11-21')).toBeNull();
    expect(await ask(stage, 'from=2026-11-01&to=2026-11-20')).toBeNull();
    expect(await ask(stage, 'from=2026-11-01&to=2026-11-22')).toBeNull();
  });
});

describe('api/v1/usage.csv', () => {
  it('has every group, as a download', async () => {
    const stage = openStage();
    await tenDays(stage);
    const { headers, text } = await stage.call('acmeViewer', 'GET', '/api/v1/usage.csv', {
      query: `by=model&${BETWEEN}`,
    });
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage-by-model-2026-11-24-2026-11-28.csv"',
      'cache-control': 'no-store',
    });
    expect(text.split('\r\n')).toEqual([
      'model,requests,charged,cached_requests,upstream_cost,lost,granted,adjusted',
      'exa/answer,5,0.03,0,0.015,0.000000015,0,0',
      'you/answer,5,0.005,5,0,0,0,0',
      '',
    ]);
  });

  const amounts = { charged: '1', upstream_cost: '0', lost: '0', granted: '0', adjusted: '-0.5' };
  const line = { requests: 1, cached_requests: 0, ...amounts };

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', '"\tx"'],
    ['x;=1', `"x;'=1"`],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['team=a', 'team=a'],
    [null, ''],
  ])('escapes the group %j against spreadsheet formulas', (group, cell) => {
    expect(csvOf('tag', [{ group, ...line }])).toBe(
      `tag,requests,charged,cached_requests,upstream_cost,lost,granted,adjusted\r\n${cell},1,1,0,0,0,0,-0.5\r\n`,
    );
  });
});

/** All pages of one organization. */
async function allEntriesOf({ ledger }: Stage, organizationId: string): Promise<(readonly LedgerEntry[])[]> {
  const pages: (readonly LedgerEntry[])[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await ledger.entries({ organizationId, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    pages.push(page.entries);
    cursor = page.nextCursor;
  }
  return pages;
}
