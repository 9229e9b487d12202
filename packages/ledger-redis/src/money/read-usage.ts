import {
  type CheckedUsageQuery,
  dateOfDay,
  firstDayOf,
  type Span,
  slicesOf,
  splitDays,
  type UsageGroup,
  type UsageRow,
  usagePage,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { ALL_ROWS, BY_KEY, BY_MODEL, LETTERS, type Letter, READ_SUMS, SUM_BOUNDS } from '../scripts/usage-scripts.js';
import { addTo, createTotals, rowsOf, type SumRow, sumsOf, type Totals } from './sum-rows.js';

/** How many names one script looks at: some three milliseconds in which Redis serves no one else. A pack has some 5 kB. */
const SUMS_AT_ONCE = 1_000;
const PACKS_AT_ONCE = 100;
/** How often a reading begins again where sums were packed since it began, which happens after midnight. */
const MOST_ROUNDS = 1_000;

/** Sums by group: as many scripts as it takes. Each is of one moment. */
export async function readUsage(scripts: Scripts, query: CheckedUsageQuery): Promise<readonly UsageRow[]> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const groups = await readGroups(scripts, query);
    if (groups !== undefined) return usagePage(groups, query, sumsOf);
  }
  throw new Error('sums are packed faster than they can be read: ask again later');
}

/** Totals by group; an empty text for those of what has none. `undefined` where sums were packed since it began. */
async function readGroups(scripts: Scripts, query: CheckedUsageQuery): Promise<Map<string, Totals> | undefined> {
  const { by, organizationId, keyId = '', budget } = query;
  const [rollups = '0', ...reply] = await scripts.run(SUM_BOUNDS, [organizationId === undefined ? keyId : '']);
  const bounds = boundsOf(reply.splice(0, 2 * LETTERS.length));
  const owners = ownersOf(organizationId, keyId, reply);
  const groups = new Map<string, Totals>();
  const readings = partsOf(query, bounds).flatMap((part) =>
    owners.map((owner): Reading => ({ rollups, owner, view: viewOf(query, part.letter), ...part })),
  );
  const read = readings.map((reading) =>
    readPart(scripts, reading, (period, rows) => {
      const add = adderTo(groups, by, period);
      for (const row of rowsOf(rows)) {
        if (budget === undefined || row.budgets.split(' ').includes(budget)) add(row);
      }
    }),
  );
  return (await Promise.all(read)).every(Boolean) ? groups : undefined;
}

/** The periods there are under a letter. */
type Bounds = ReadonlyMap<Letter, Span>;

function boundsOf(texts: readonly string[]): Bounds {
  const pairs = slicesOf(texts, 2).map(([first = '', last = ''], index) => ({ letter: LETTERS[index], first, last }));
  const bounds = new Map<Letter, Span>();
  for (const { letter, first, last } of pairs) {
    if (letter !== undefined && first !== '') bounds.set(letter, { from: Number(first), to: Number(last) + 1 });
  }
  return bounds;
}

/** What names begin with, behind their period: an empty text for all. */
function ownersOf(organizationId: string | undefined, keyId: string, ofKey: readonly string[]): string[] {
  const key = keyId === '' ? '' : `${keyId} `;
  if (organizationId !== undefined) return [`${organizationId} ${key}`];
  return keyId === '' ? [''] : ofKey.map((id) => `${id} ${key}`);
}

/** Periods that are to be read under a letter. */
interface Part {
  readonly letter: Letter;
  readonly span: Span;
}

/** Which sums have to be read, within what there is: see SUMS. */
function partsOf({ by, keyId, budget, fromDay = 0, toDay = Infinity }: CheckedUsageQuery, bounds: Bounds): Part[] {
  const under = (letters: readonly Letter[], span: Span) => letters.flatMap((letter) => within(span, letter, bounds));
  if (by === 'day')
    return under(keyId === undefined && budget === undefined ? ['o', 'O', 'd'] : ['d', 'D'], {
      from: fromDay,
      to: toDay,
    });
  // What ends behind the last day has no edge there, and likewise in front.
  const spans = [bounds.get('d'), bounds.get('D')].filter((span) => span !== undefined);
  const first = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ to }) => to));
  const { months, days } = splitDays(fromDay > first ? fromDay : undefined, toDay < end ? toDay : undefined);
  const unpacked = { from: firstDayOf(months.from), to: firstDayOf(months.to) };
  return [...under(['m', 'M'], months), ...under(['d'], unpacked), ...days.flatMap((span) => under(['d', 'D'], span))];
}

/** None or one. */
function within({ from, to }: Span, letter: Letter, bounds: Bounds): Part[] {
  const { from: first, to: end } = bounds.get(letter) ?? { from: 0, to: 0 };
  const span = { from: Math.max(from, first), to: Math.min(to, end) };
  return span.from < span.to ? [{ letter, span }] : [];
}

/** The fewest rows of a pack that tell the groups apart. */
function viewOf({ by, keyId, budget }: CheckedUsageQuery, letter: Letter): string {
  if (by === 'budget' || budget !== undefined) return ALL_ROWS;
  const isOfModel = by === 'model' || by === 'tag';
  if (letter === 'O' || (keyId !== undefined && isOfModel)) return ALL_ROWS;
  return keyId !== undefined || by === 'key' ? BY_KEY : BY_MODEL;
}

interface Reading extends Part {
  readonly rollups: string;
  readonly owner: string;
  readonly view: string;
}

/** @returns false where sums were packed since it began. */
async function readPart(
  scripts: Scripts,
  { rollups, owner, view, letter, span }: Reading,
  onRows: (period: number, rows: string) => void,
): Promise<boolean> {
  const nameAt = (period: number) => `${letter}${`${period}`.padStart(7, '0')}`;
  const most = letter < 'a' ? PACKS_AT_ONCE : SUMS_AT_ONCE;
  const high = `(${nameAt(span.to)}`;
  for (let low = `[${nameAt(span.from)}`; low !== ''; ) {
    const values = [rollups, `${most}`, owner, view, low, high];
    const [next = '', , ...parts] = await scripts.run(READ_SUMS, values);
    if (next === 'packed') return false;
    for (const [period, rows = ''] of slicesOf(parts, 2)) onRows(Number(period), rows);
    low = next;
  }
  return true;
}

/** Adds a row of a period to its groups: of several budgets, to each. */
function adderTo(groups: Map<string, Totals>, by: UsageGroup, period: number): (row: SumRow) => void {
  if (by === 'budget') {
    return ({ budgets, sums }) => {
      for (const id of budgets.split(' ')) addTo(totalsOf(groups, id), sums);
    };
  }
  const groupOf = GROUPS[by](period);
  return (row) => addTo(totalsOf(groups, groupOf(row)), row.sums);
}

/** By what is asked for: of a period, what gives the group of a row. */
const GROUPS: Record<Exclude<UsageGroup, 'budget'>, (period: number) => (row: SumRow) => string> = {
  organization: () => wordOf(0),
  key: () => wordOf(1),
  model: () => modelOf,
  tag: () => (row) => row.tag,
  day: (period) => {
    const date = dateOfDay(period);
    return () => date;
  },
};

function wordOf(place: 0 | 1): (row: SumRow) => string {
  return ({ owner }) => {
    const space = owner.indexOf(' ');
    return place === 0 ? owner.slice(0, space) : owner.slice(space + 1, owner.indexOf(' ', space + 1));
  };
}

function modelOf({ owner }: SumRow): string {
  const model = owner.slice(owner.indexOf(' ', owner.indexOf(' ') + 1) + 1);
  if (!model.includes('\\')) return model;
  return model.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function totalsOf(groups: Map<string, Totals>, group: string): Totals {
  let totals = groups.get(group);
  if (totals === undefined) {
    totals = createTotals();
    groups.set(group, totals);
  }
  return totals;
}
