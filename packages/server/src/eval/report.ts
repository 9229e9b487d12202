import { formatUsd, type NanoUsd } from '@searchgate/core';
import { printable } from '../admin/table.js';
import { type Comparison, compare, type Result, type Row } from './build-report.js';
import { COMPARED } from './questions.js';
import { type Cells, pairCells, questionCells, rowCells } from './report-tables.js';

/** What was asked of whom, and how far it came. */
export interface RunFacts {
  readonly url: string;
  readonly runs: number;
  readonly seed: number;
  readonly maxCost: NanoUsd;
  /** The cost of the run so far, also of questions that are no longer in the file. */
  readonly spent: NanoUsd;
  /** How many calls a whole run has. */
  readonly calls: number;
  /** Why calls are missing; `undefined` for a whole run. */
  readonly ended: string | undefined;
  readonly nowMs: number;
}

/** A report in its three forms. */
export interface Report {
  /** Its shape has a version. Amounts are decimal US dollars, shares 0 to 1, times milliseconds. */
  readonly json: string;
  readonly markdown: string;
  readonly sections: readonly Section[];
  readonly summary: string;
}

/** A kind of models. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly tables: readonly Cells[];
  readonly questions: Cells;
}

const TITLES = { answer: 'Answers', search: 'Searches', extract: 'Extracts', rerank: 'Reranks' };

export function buildReport(results: readonly Result[], facts: RunFacts): Report {
  const comparison = compare(results, facts.seed);
  const sections = sectionsOf(results, comparison);
  const summary = summaryOf(results.length, facts);
  const parts = sections.flatMap(({ title, tables }) => [`## ${title}`, ...tables.map(markdownTable)]);
  return {
    json: `${JSON.stringify(jsonOf(results, comparison, facts), null, 2)}\n`,
    markdown: `${['# Searchgate eval', summary, ...parts].join('\n\n')}\n`,
    sections,
    summary,
  };
}

function sectionsOf(results: readonly Result[], { rows, pairs }: Comparison): Section[] {
  return COMPARED.flatMap((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    if (own.length === 0) return [];
    const between = pairs.filter((pair) => pair.kind === kind);
    const tables = [rowCells(own), ...(between.length === 0 ? [] : [pairCells(between)])];
    const questions = questionCells(results.filter(({ category }) => category === kind));
    return [{ title: TITLES[kind], rows: own.filter(({ category }) => category === null), tables, questions }];
  });
}

function summaryOf(done: number, { calls, spent, runs, seed, ended, nowMs, url }: RunFacts): string {
  const state = ended === undefined ? '' : ` The run is not complete: ${printable(ended)}.`;
  const times = runs === 1 ? 'once' : `${runs} times`;
  return `${done} of ${calls} calls of ${url}, each question asked ${times}, for $${formatUsd(spent)}.${state} Shares and differences with 95 % intervals, seed ${seed}. ${new Date(nowMs).toISOString()}`;
}

function jsonOf(
  results: readonly Result[],
  comparison: Comparison,
  { nowMs, maxCost, spent, ...facts }: RunFacts,
): object {
  return {
    version: 1,
    createdAt: new Date(nowMs).toISOString(),
    ...facts,
    ended: facts.ended ?? null,
    maxCost: formatUsd(maxCost),
    spent: formatUsd(spent),
    ...comparison,
    results: results.map(({ question: { id }, model, run, right, outcome: { reply, ...outcome } }) => {
      return { id, model, run, right, answered: reply !== undefined, ...outcome, urls: reply?.urls ?? [] };
    }),
  };
}

function markdownTable([titles = [], ...lines]: Cells): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => printable(cell).replace(/[|<\\`]/g, '\\$&')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...lines.map(line)].join('\n');
}
