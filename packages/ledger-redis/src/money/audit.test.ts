import { expect, it } from 'vitest';
import type { Scripts } from '../engine/scripts.js';
import type { Script } from '../lua/opening.js';
import { HELD, SUBJECTS, SUMS_OF, VIEW } from '../scripts/audit-scripts.js';
import { ENTRIES } from '../scripts/log-scripts.js';
import { CHECKPOINT } from '../scripts/removal-scripts.js';
import { audit } from './audit.js';

/** 2026-11-21 at noon. */
const AT_MS = 1_795_262_400_000;
const GRANT = ['grant', 'grant-1', 'acme', '', '100', `${AT_MS}`, '100', '', '', ''];
const CHARGE = ['charge', 'call-1', 'acme', 'key-1', '7', `${AT_MS}`, '7', 'exa/answer', 'exa', 'flat'];
/** As books have them: held, in flight, a rate, usage, then credits or what came before the day, its week and its month. */
const ORGANIZATION_BOOK = '0 0 - 7 100';
const KEY_BOOK = `0 0 - 7 ${Math.floor(AT_MS / 86_400_000)} 0 0 0`;
const SUMS = '\nacme key-1 exa/answer\t\t1 7 0';

type Answer = (values: readonly string[]) => string[];

/** The scripts of a ledger with one grant and one charge, of which every answer may be changed. */
function scriptsOf(changes: readonly (readonly [Script, Answer])[] = []) {
  const asked: [Script, readonly string[]][] = [];
  const answers = new Map<Script, Answer>([
    [CHECKPOINT, () => ['', '0']],
    [SUBJECTS.organization, () => ['0', 'acme']],
    [SUBJECTS.key, () => ['0', 'key-1']],
    [VIEW, viewOf([GRANT, CHARGE])],
    [SUMS_OF, () => ['7', '', '0020778', SUMS]],
    [HELD, () => ['0']],
    ...changes,
  ]);
  const scripts: Scripts = {
    async run(script, values) {
      asked.push([script, values]);
      return answers.get(script)?.(values) ?? [];
    },
  };
  return { scripts, valuesOf: (of: Script) => asked.filter(([script]) => script === of).map(([, values]) => values) };
}

/** Gives the entries that were not seen yet, and each book. */
function viewOf(log: readonly string[][], books: Record<string, string> = {}): Answer {
  return ([, , seen, most, ...ids]) => {
    const following = log.slice(Number(seen));
    if (following.length > Number(most)) return [`${log.length}`, '-1', `${AT_MS}`];
    const known: Record<string, string> = { acme: ORGANIZATION_BOOK, 'key-1': KEY_BOOK, ...books };
    return [
      `${log.length}`,
      `${following.length}`,
      `${AT_MS}`,
      ...following.flat(),
      ...ids.map((id) => known[id] ?? ''),
    ];
  };
}

const found = async (...changes: [Script, Answer][]) => {
  const { differences } = await audit(scriptsOf(changes).scripts);
  return differences.map(({ subject, id, counter, counted, recomputed }) => [
    subject,
    id,
    counter,
    counted,
    recomputed,
  ]);
};

it('finds what has no book', async () => {
  const log = [GRANT, CHARGE, ['charge', 'call-2', 'globex', 'key-2', '3', `${AT_MS}`, '3', 'm', 'exa', 'flat']];
  const sumsOf: Answer = ([, id]) => (id === 'acme' || id === 'key-1' ? ['7', '', '0020778', SUMS] : ['0', '']);
  const differences = await found([VIEW, viewOf(log)], [SUMS_OF, sumsOf]);
  expect(differences).toContainEqual(['organization', 'globex', 'usage', 0n, 3n]);
  expect(differences).toContainEqual(['key', 'key-2', 'usage', 0n, 3n]);
});

it('adds up the sums of all periods, and knows what was charged since by the usage of that moment', async () => {
  const later = ['9', '', '0020778', SUMS, '0020779', '\nacme key-1 exa/answer\t\t1 4 0 0 0 -2 0 0'];
  expect(await found([SUMS_OF, () => later])).toEqual([]);
  expect(await found([SUMS_OF, ([kind]) => (kind === 'key' ? ['8', ...later.slice(1)] : later)])).toEqual([
    ['key', 'key-1', 'sums', 7n, 8n],
  ]);
});

it('asks for the sums of each subject once, however many there are', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `org-${index}`);
  const { scripts, valuesOf } = scriptsOf([
    [SUBJECTS.organization, () => ['0', ...ids]],
    [SUBJECTS.key, () => ['0']],
    [VIEW, viewOf([])],
    [SUMS_OF, () => ['0', '']],
  ]);
  expect(await audit(scripts)).toMatchObject({ organizations: 120, differences: [] });
  expect(valuesOf(SUMS_OF)).toEqual(ids.map((id) => ['organization', id]));
});

it('looks again where entries it was to read are gone', async () => {
  let views = 0;
  const shrinking: Answer = (values) => {
    views += 1;
    return views === 1 ? ['5000', '-1', `${AT_MS}`] : viewOf([GRANT, CHARGE])(values);
  };
  const { scripts, valuesOf } = scriptsOf([
    [VIEW, shrinking],
    [ENTRIES, () => ['']],
  ]);
  expect(await audit(scripts)).toMatchObject({ entries: 2, differences: [] });
  expect(valuesOf(ENTRIES)).toHaveLength(1);
});

it('gives up where the log was cut since it began', async () => {
  await expect(audit(scriptsOf([[VIEW, () => ['cut']]]).scripts)).rejects.toThrow('audit the ledger again');
});

it('gives up where the log grows faster than it is read', async () => {
  const { scripts, valuesOf } = scriptsOf([
    [VIEW, () => ['5000', '-1']],
    [ENTRIES, () => ['']],
  ]);
  await expect(audit(scripts)).rejects.toThrow('when less is going on');
  expect(valuesOf(VIEW)).toHaveLength(1_000);
});
