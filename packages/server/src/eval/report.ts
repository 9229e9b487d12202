import { formatUsd, type NanoUsd } from '@searchgate/core';
import { printable } from '../admin/table.js';
import { type Figure, grouped, MODEL_FIGURES, PAIR_FIGURES, type Results } from './figures.js';
import { COMPARED } from './questions.js';

/** What was asked of whom, and how far it came. */
export interface RunFacts {
  readonly createdAt: string;
  readonly url: string;
  readonly runs: number;
  readonly seed: number;
  readonly maxCost: string;
  /** The cost of the run so far, also of questions that are no longer in the file. */
  readonly spent: string;
  /** How many calls a whole run has. */
  readonly calls: number;
  /** Why calls are missing; `null` for a whole run. */
  readonly ended: string | null;
}

/** A table for people. The first line has the titles. */
export type Table = readonly (readonly string[])[];

/** Everything about the models of one category. */
export interface Section {
  readonly title: string;
  readonly results: Results;
  readonly tables: readonly Table[];
}

const TITLES = { answer: 'Answers', search: 'Searches', extract: 'Extracts', rerank: 'Reranks' };

/** The report as JSON. Its shape has a version. Amounts are decimal US dollars, shares 0 to 1, times milliseconds. */
export function jsonReport(results: Results, facts: RunFacts): string {
  const calls = results.map(({ question: { id }, model, right, outcome: { reply, ...outcome } }) => {
    return { id, model, right, ...outcome, urls: reply?.urls };
  });
  const models = rowsOf(results).map(([names, own]) => ({ ...names, ...valuesOf(MODEL_FIGURES, own) }));
  const pairs = pairsOf(results, facts.seed).map(([names, both]) => ({ ...names, ...valuesOf(PAIR_FIGURES, both) }));
  return `${JSON.stringify({ version: 1, ...facts, models, pairs, results: calls }, null, 2)}\n`;
}

/** One sentence about the run. */
export function summaryOf(results: Results, { calls, url, runs, spent, ended, seed, createdAt }: RunFacts): string {
  const state = ended === null ? '' : ` The run is not complete: ${ended}.`;
  return `${results.length} of ${calls} calls of ${url}, ${runs} of each question, for $${spent}.${state} Shares and differences have 95 % intervals (seed ${seed}). ${createdAt}`;
}

/** The sections of the report for people. */
export function sectionsOf(all: Results, seed: number): Section[] {
  return COMPARED.flatMap((category) => {
    const results = all.filter((result) => result.category === category);
    if (results.length === 0) return [];
    const rows = rowsOf(results).map(([{ model, category: name }, own]) => [[model, name ?? 'all'], own] as const);
    const pairs = pairsOf(results, seed).map(([{ models }, both]) => [[models.join(' − ')], both] as const);
    const tables = [
      tableOf(['Model', 'Category'], MODEL_FIGURES, rows),
      tableOf(['Models'], PAIR_FIGURES, pairs),
      questionTable(results),
    ];
    return [{ title: TITLES[category], results, tables: tables.filter(({ length }) => length > 1) }];
  });
}

export function markdownReport(summary: string, sections: readonly Section[]): string {
  const parts = sections.flatMap(({ title, tables }) => [`## ${title}`, ...tables.map(markdownTable)]);
  return `${['# Searchgate eval', printable(summary), ...parts].join('\n\n')}\n`;
}

function markdownTable([titles = [], ...lines]: Table): string {
  const escaped = (cell: string) => printable(cell).replace(/[|<\\`[]/g, '\\$&');
  return [titles, titles.map(() => '---'), ...lines].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
}

/** Each model with all its results, then with those of each category of lines. */
function rowsOf(results: Results) {
  return [...grouped(results, ({ model }) => model)].flatMap(([model, own]) => {
    const parts = [...grouped(own, ({ question }) => question.category)].filter(([name]) => name !== undefined);
    return [[undefined, own] as const, ...parts].map(([category, part]) => [{ model, category }, part] as const);
  });
}

function pairsOf(results: Results, seed: number) {
  const models = [...grouped(results, ({ model }) => model)];
  return models.flatMap(([a, one], at) =>
    models.slice(at + 1).flatMap(([b, other]) => {
      if (one[0]?.category !== other[0]?.category) return [];
      return [[{ models: [a, b] }, { one, other, seed }] as const];
    }),
  );
}

type Figures<Given> = Readonly<Record<string, Figure<Given>>>;

function valuesOf<Given>(figures: Figures<Given>, given: Given): object {
  return Object.fromEntries(Object.entries(figures).map(([name, { of }]) => [name, of(given)?.value]));
}

/** A figure that applies to no row has no column. */
function tableOf<Given>(
  heads: readonly string[],
  figures: Figures<Given>,
  rows: readonly (readonly [readonly string[], Given])[],
): Table {
  const columns = Object.values(figures).flatMap(({ title, of }) => {
    const texts = rows.map(([, given]) => of(given)?.text);
    return texts.some((text) => text !== undefined) ? [{ title, texts }] : [];
  });
  const lines = rows.map(([names], at) => [...names, ...columns.map(({ texts }) => texts[at] ?? '–')]);
  return [[...heads, ...columns.map(({ title }) => title)], ...lines];
}

/** A line for each question: how many of its calls each model had right, else answered. */
function questionTable(results: Results): Table {
  const models = [...grouped(results, ({ model }) => model).keys()];
  const lines = [...grouped(results, ({ question }) => question)].map(([{ id, query }, calls]) => {
    const counts = models.map((model) => {
      const own = calls.filter((call) => call.model === model);
      return `${own.filter(({ right, outcome }) => right ?? outcome.reply).length} / ${own.length}`;
    });
    return [id, query, ...counts];
  });
  return [['Id', 'Question', ...models], ...lines];
}
