import { systemClock } from '@searchgate/core/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { budgetOf, chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { allEntries, expectSumsOfLog } from '../../test/sums-of-log.js';
import type { SqliteLedger } from '../index.js';
import { SERIES_AT_ONCE } from './read-usage.js';

const DAY_MS = 86_400_000;
/** 2026-11-22. */
const TODAY = Date.UTC(2026, 10, 22) / DAY_MS;

let storage: Storage;
let ledger: SqliteLedger;
let nowMs: number;

beforeEach(async () => {
  nowMs = TODAY * DAY_MS;
  storage = createStorage(undefined, { ...systemClock, now: () => nowMs });
  ledger = await storage.connect();
  await ledger.grant(grantOf({ amount: 1_000_000n }));
});
afterEach(() => storage.dispose());

interface Charged {
  readonly tag?: string;
  readonly model?: string;
  readonly budgets?: readonly string[];
}

async function charge(holdId: string, { tag, model = 'exa/answer', budgets }: Charged = {}) {
  await ledger.hold(holdOf({ holdId, amount: 1n, tag, budgets: budgets?.map((id) => budgetOf({ id })) }));
  await ledger.settle(holdId, chargeOf({ cost: 1n, model }));
}

/** Days from today on which the clock stands in turn: set back and forward, into days with charges, between them and before all. */
const JUMPS = [
  [0, 3, 1, 2, 3, 0, -1],
  [5, -40, -39, 5, -70, 70, 6, -40, 0],
  [-1, -1, 1, -2, 2, -3, 3, 40, -40, 41, -41],
  [70, 69, 68, 10, 9, 8, -20, -30, 70, 71],
  // Each model is charged again on a day that is not its latest.
  [0, 0, 0, 3, 3, 3, 0, 0, 0, 3, 1, 2],
];
/** `user` is a part of an id and an id. */
const BUDGETS = ['user:ada', 'user', 'team:user'];
const RANGES = [{}, { fromDay: TODAY }, { toDay: TODAY + 3 }, { fromDay: TODAY - 40, toDay: TODAY + 5 }];

it.each(JUMPS.map((jumps) => [jumps]))(
  'adds to the right day where the clock jumps to days %j, and the days behind it begin with more',
  async (jumps) => {
    for (const [index, jump] of jumps.entries()) {
      nowMs = (TODAY + jump) * DAY_MS + index;
      await charge(`${index}`, { model: `model-${index % 3}`, budgets: BUDGETS.slice(0, index % 4) });
      await expectSumsOfLog(ledger, await allEntries(ledger), RANGES);
    }
    const filters = [{ keyId: 'key-1' }, { budget: 'user:ada' }, { budget: 'user', organizationId: 'acme' }];
    const filtered = filters.flatMap((filter) => RANGES.map((range) => ({ ...filter, ...range })));
    await expectSumsOfLog(ledger, await allEntries(ledger), filtered);
    expect((await ledger.audit()).differences).toEqual([]);
  },
);

it('reads more series than fit into one slice', async () => {
  const tags = times(2 * SERIES_AT_ONCE + 1, (index) => `tag-${index}`);
  await Promise.all(tags.map((tag) => charge(tag, { tag })));
  nowMs += DAY_MS;
  await Promise.all(
    tags.slice(0, 300).map((tag, index) => charge(`${tag}.again`, { tag, budgets: [`user:${index % 7}`] })),
  );
  await Promise.all(
    [[], ['user:3'], ['user:3', 'user:4']].map((budgets, index) => charge(`at-once-${index}`, { budgets })),
  );
  const log = await allEntries(ledger);
  const ranges = [{}, { fromDay: TODAY + 1 }, { toDay: TODAY + 1 }];
  await expectSumsOfLog(ledger, log, [...ranges, { keyId: 'key-1' }, { budget: 'user:3' }]);
  const [first] = await ledger.usage({ by: 'day', keyId: 'key-1', limit: 1 });
  expect(first).toMatchObject({ group: '2026-11-22', charges: tags.length });
});

it('gives days in pages of any size, of all organizations and of one', async () => {
  for (let day = 0; day < 130; day += 1) {
    nowMs = (TODAY + day) * DAY_MS;
    await charge(`day-${day}`);
    await ledger.grant(grantOf({ grantId: `day-${day}`, organizationId: day % 2 === 0 ? 'acme' : 'globex' }));
  }
  for (const query of [
    {},
    { organizationId: 'globex' },
    { keyId: 'key-1' },
    { fromDay: TODAY + 20, toDay: TODAY + 110 },
  ]) {
    const all = (await ledger.usage({ by: 'day', limit: 1_000, ...query })).map(({ group }) => group);
    const walked: unknown[] = [];
    for (let after: string | undefined; ; ) {
      const page = await ledger.usage({ by: 'day', limit: 7, ...query, ...(after !== undefined && { after }) });
      walked.push(...page.map(({ group }) => group));
      if (page.length < 7) break;
      after = page.at(-1)?.group ?? undefined;
    }
    expect(walked).toEqual(all);
  }
});

it.each(['2026-11', '2026-11-22x', '2026-12-0', 'x', '0'])('takes any text as the group before: %s', async (after) => {
  nowMs += 20 * DAY_MS;
  await charge('later');
  const groups = (await ledger.usage({ by: 'day', after })).map(({ group }) => group);
  expect(groups).toEqual(['2026-11-22', '2026-12-12'].filter((date) => date > after));
});

it('counts tags of a key on its latest day, wherever the clock jumps', async () => {
  const lose = async (holdId: string, tag: string, models: number) => {
    await ledger.hold(holdOf({ holdId, amount: 0n, tag }));
    const losses = times(models, (index) => ({ model: `model-${index}`, provider: 'x', cost: 1n, reason: 'failed' }));
    await ledger.release(holdId, { reason: 'failed', losses });
  };
  await lose('today', 'first', 999);
  nowMs -= DAY_MS;
  await lose('yesterday', 'second', 5);
  nowMs += DAY_MS;
  await lose('today-again', 'third', 5);
  const rows = (await ledger.usage({ by: 'tag' })).map(({ group, lost }) => [group, lost]);
  expect(rows).toEqual([
    ['first', 999n],
    ['second', 1n],
    [null, 9n],
  ]);
});
