import type { CheckedUsageQuery } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import type { Scripts } from '../engine/scripts.js';
import { READ_SUMS, SUM_BOUNDS } from '../scripts/usage-scripts.js';
import { readUsage } from './read-usage.js';

/** The first and the last period there are under each of `d`, `D`, `m`, `M`, `o` and `O`: days and months from January 2024 on. */
const BOUNDS = ['19783', '19784', '19723', '19782', '649', '650', '648', '649', '19783', '19784', '19723', '19782'];
const EMPTY = BOUNDS.map(() => '');

interface Answers {
  readonly bounds?: readonly string[];
  readonly organizations?: readonly string[];
  /** What is read from a place on, by what that begins with. */
  readonly sums?: Readonly<Record<string, readonly string[]>>;
  /** How often sums are packed while they are read. */
  readonly packed?: number;
}

/** Scripts that answer so, and what they were asked. */
function scriptsOf({ bounds = BOUNDS, organizations = [], sums = {}, packed = 0 }: Answers) {
  const asked: string[][] = [];
  let rounds = 0;
  const scripts: Scripts = {
    async run(script, values) {
      if (script === SUM_BOUNDS) {
        rounds += 1;
        return [`${rounds}`, ...bounds, ...(values[0] === '' ? [] : organizations)];
      }
      expect(script).toBe(READ_SUMS);
      asked.push([...values]);
      if (rounds <= packed) return ['packed'];
      return sums[values[4] ?? ''] ?? ['', ''];
    },
  };
  return { scripts, asked, rounds: () => rounds };
}

const queryOf = (query: Partial<CheckedUsageQuery>): CheckedUsageQuery => ({ by: 'key', limit: 100, ...query });

/** A row of a reply: one charge. */
const row = (owner: string, charged: number, tag = '') => `\n${owner}\t${tag}\t1 ${charged} 0`;

async function rangesOf(query: Partial<CheckedUsageQuery>, answers: Answers = {}): Promise<string[]> {
  const { scripts, asked } = scriptsOf(answers);
  await readUsage(scripts, queryOf(query));
  return asked.map(([, , , , low, high]) => `${low} ${high}`);
}

it.each<[string, Partial<CheckedUsageQuery>, string[]]>([
  [
    'months, and the days that are in none yet',
    {},
    ['[m0000649 (m0000651', '[M0000648 (M0000650', '[d0019783 (d0019785'],
  ],
  [
    'all from the first day on',
    { fromDay: 19_723, toDay: 19_785 },
    ['[m0000649 (m0000651', '[M0000648 (M0000650', '[d0019783 (d0019785'],
  ],
  [
    'days up to the first whole month',
    { fromDay: 19_724 },
    ['[m0000649 (m0000651', '[M0000649 (M0000650', '[d0019783 (d0019785', '[D0019724 (D0019754'],
  ],
  [
    'days behind the last whole month',
    { toDay: 19_784 },
    ['[m0000649 (m0000650', '[M0000648 (M0000650', '[d0019783 (d0019784'],
  ],
  [
    'days on both sides of a month',
    { fromDay: 19_753, toDay: 19_784 },
    ['[m0000649 (m0000650', '[M0000649 (M0000650', '[D0019753 (D0019754', '[d0019783 (d0019784'],
  ],
  ['days of one month', { fromDay: 19_724, toDay: 19_730 }, ['[D0019724 (D0019730']],
  ['nothing behind the last day', { fromDay: 19_785 }, []],
  ['nothing before the first day', { toDay: 19_723 }, []],
  ['organizations by day', { by: 'day' }, ['[o0019783 (o0019785', '[O0019723 (O0019783', '[d0019783 (d0019785']],
  [
    'organizations on some days',
    { by: 'day', fromDay: 19_782, toDay: 19_784 },
    ['[o0019783 (o0019784', '[O0019782 (O0019783', '[d0019783 (d0019784'],
  ],
  ['nothing behind the last of those', { by: 'day', fromDay: 19_785 }, []],
])('reads %s', async (_what, query, expected) => {
  expect(await rangesOf(query)).toEqual(expected);
});

it('reads nothing where there are no sums', async () => {
  expect(await rangesOf({}, { bounds: EMPTY })).toEqual([]);
  expect(await rangesOf({ by: 'day' }, { bounds: EMPTY })).toEqual([]);
});

it('knows the days of all there is where none is packed', async () => {
  const bounds = ['19783', '19784', ...EMPTY.slice(2)];
  expect(await rangesOf({ fromDay: 19_783, toDay: 19_785 }, { bounds })).toEqual(['[d0019783 (d0019785']);
});

/** Which rows of a pack are read: those by key, those by model, or all. */
it.each<[Partial<CheckedUsageQuery>, string[], string]>([
  [{ by: 'organization' }, [''], 'm'],
  [{ by: 'key' }, [''], 'k'],
  [{ by: 'model' }, [''], 'm'],
  [{ by: 'tag' }, [''], 'm'],
  [{ by: 'key', organizationId: 'acme' }, ['acme '], 'k'],
  [{ by: 'tag', organizationId: 'acme', keyId: 'key-1' }, ['acme key-1 '], ''],
  [{ by: 'organization', keyId: 'key-1' }, ['globex key-1 ', 'acme key-1 '], 'k'],
  [{ by: 'key', keyId: 'key-1' }, ['globex key-1 ', 'acme key-1 '], 'k'],
  [{ by: 'day', keyId: 'key-1' }, ['globex key-1 ', 'acme key-1 '], 'k'],
  [{ by: 'model', keyId: 'key-1' }, ['globex key-1 ', 'acme key-1 '], ''],
])('reads for %j what belongs to %j, by the fewest rows that tell its groups apart', async (query, owners, view) => {
  const { scripts, asked } = scriptsOf({ organizations: ['globex', 'acme'] });
  await readUsage(scripts, queryOf(query));
  expect([...new Set(asked.map(([, , owner]) => owner))]).toEqual(owners);
  expect(new Set(asked.map((values) => values[3]))).toEqual(new Set([view]));
});

it('reads all rows of the days of organizations, and looks at fewer packs than names in a script', async () => {
  const { scripts, asked } = scriptsOf({});
  await readUsage(scripts, queryOf({ by: 'day' }));
  expect(asked.map(([, most, , view, low]) => [low?.slice(1, 2), most, view])).toEqual([
    ['o', '1000', 'm'],
    ['O', '100', ''],
    ['d', '1000', 'm'],
  ]);
});

it('asks for the organizations of a key only where none is named', async () => {
  const { scripts, asked } = scriptsOf({ organizations: ['globex'] });
  await readUsage(scripts, queryOf({ organizationId: 'acme', keyId: 'key-1' }));
  expect(new Set(asked.map((values) => values[2]))).toEqual(new Set(['acme key-1 ']));
});

it('begins again where sums were packed while it read', async () => {
  const sums = { '[m0000649': ['', '', '0000649', row('acme key-1 m', 1)] };
  const { scripts, asked, rounds } = scriptsOf({ sums, packed: 2 });
  expect(await readUsage(scripts, queryOf({}))).toMatchObject([{ group: 'key-1', charged: 1n }]);
  expect(rounds()).toBe(3);
  expect(asked.map(([rollups]) => rollups)).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3']);
});

it('gives up where sums are packed each time', async () => {
  const { scripts, rounds } = scriptsOf({ packed: Infinity });
  await expect(readUsage(scripts, queryOf({}))).rejects.toThrow('ask again later');
  expect(rounds()).toBe(1_000);
});
