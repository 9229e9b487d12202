import { count, milliseconds, short, table } from '../../report/format.js';
import { section } from '../../report/sections.js';
import type { EngineGrowth, GrowthSample } from '../growth/growth-sample.js';

const TEXT = [
  'What things take with so many answers in the log, one at a time; each engine made its log grow by holding and settling, and an audit of it found no difference.',
  'Milliseconds; of holds, settles and pages half took no longer. A page has 100 entries: the first, one by a cursor near the end, one up to a time soon after the first entries, one from a time shortly before the last.',
  'A statement is that of one organization of 1,000, so a thousandth of the log is in it. Verify is `audit()`; the pause is the longest that a timer of the process was late meanwhile.',
  'Bytes are of disk, for Redis and memory of memory, with indexes and the hold that goes later.',
].join(' ');

const HEAD = ['ledger', 'answers', 'hold', 'settle', 'page: first', 'last', 'to early', 'from late', 'statement'];

/** Nothing where growth was not measured. */
export function growthSection(growth: readonly EngineGrowth[]): string {
  const rows = growth.flatMap(({ name, samples }) => samples.map((sample) => [name, ...cellsOf(sample)]));
  if (rows.length === 0) return '';
  return section('Growth', TEXT, table([...HEAD, 'verify', 'pause', 'bytes/answer'], rows));
}

function cellsOf({ answers, holdMs, settleMs, pages, statementMs, audit, bytesPerAnswer }: GrowthSample): string[] {
  const { first, last, toEarly, fromLate } = pages;
  const figures = [holdMs, settleMs, first, last, toEarly, fromLate, statementMs, audit?.ms, audit?.longestPauseMs];
  return [
    count(answers),
    ...figures.map((figure) => (figure === undefined ? '–' : milliseconds(figure))),
    bytesPerAnswer === null ? '–' : short(bytesPerAnswer),
  ];
}
