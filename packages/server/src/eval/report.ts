import { printable } from '../admin/table.js';
import { type Both, type Figure, grouped, MODEL_FIGURES, PAIR_FIGURES, type Results } from './figures.js';
import { COMPARED } from './questions.js';

/**
 * What was asked of whom, and how far it came. Amounts are decimal US dollars. `spent` is the cost of the run so far, also of questions that are no longer in
 * the file; `calls` of a whole run; `ended` says why some are missing.
 */
export type RunFacts = Readonly<Record<'createdAt' | 'url' | 'maxCost' | 'spent', string>> &
  Readonly<Record<'runs' | 'seed' | 'calls', number>> & { readonly ended: string | null };

/** A table for people. The first line has the titles. */
export type Table = readonly (readonly string[])[];
type Figures<Given> = Readonly<Record<string, Figure<Given>>>;
type Row<Given> = readonly [names: Readonly<Record<string, string>>, given: Given];

const TITLES = { answer: 'Answers', search: 'Searches', extract: 'Extracts', rerank: 'Reranks' };

/** Everything about the models of one category. */
export type Section = ReturnType<typeof sectionsOf>[number];

/** The parts of the report for people. */
export function sectionsOf(all: Results, seed: number) {
  const categories = COMPARED.map((each) => [each, all.filter(({ category }) => category === each)] as const);
  return categories.flatMap(([category, results]) => {
    if (results.length === 0) return [];
    const tables = [tableOf(MODEL_FIGURES, modelRows(results)), tableOf(PAIR_FIGURES, pairRows(results, seed))];
    const figures = tables.filter(({ length }) => length > 1);
    return [{ title: TITLES[category], results, figures, questions: questionTable(results) }];
  });
}

/** One paragraph about the run. */
export function summaryOf(results: Results, { calls, url, runs, spent, ended, seed, createdAt }: RunFacts): string {
  const state = ended === null ? '' : ` The run is not complete: ${printable(ended)}.`;
  return `${results.length} of ${calls} calls of ${url}, ${runs} of each question, for $${spent}.${state} Shares and differences have 95 % intervals (seed ${seed}). ${createdAt}`;
}

/** Its shape has a version. Shares are 0 to 1, times milliseconds; what does not apply is absent. */
export function jsonReport(results: Results, facts: RunFacts): string {
  const calls = results.map(({ question: { id }, text: _text, ...result }) => ({ id, ...result }));
  const models = modelRows(results).map((row) => valuesOf(MODEL_FIGURES, row));
  const pairs = pairRows(results, facts.seed).map((row) => valuesOf(PAIR_FIGURES, row));
  return `${JSON.stringify({ version: 1, ...facts, models, pairs, results: calls }, null, 2)}\n`;
}

export function markdownReport(summary: string, sections: readonly Section[]): string {
  const parts = sections.flatMap(({ title, figures }) => [`## ${title}`, ...figures.map(markdownTable)]);
  return `${['# Searchgate eval', summary, ...parts].join('\n\n')}\n`;
}

function markdownTable([titles = [], ...lines]: Table): string {
  const rows = [titles, titles.map(() => '---'), ...lines];
  const escaped = (cell: string) => printable(cell).replace(/[|<\\`[]/g, '\\$&');
  return rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
}

/** Each model with all its results; then by category of lines, if lines have any. */
function modelRows(results: Results): Row<Results>[] {
  const rowsOf = (category: string, part: Results) =>
    grouped(part, ({ model }) => model).map(([model, own]): Row<Results> => [{ model, category }, own]);
  const parts = grouped(results, ({ question }) => question.category).flatMap(([name, part]) =>
    name === undefined ? [] : rowsOf(name, part),
  );
  return [...rowsOf('all', results), ...parts];
}

function pairRows(results: Results, seed: number): Row<Both>[] {
  const models = grouped(results, ({ model }) => model);
  const pairs = models.flatMap((one, at) => models.slice(at + 1).map((other) => [one, other] as const));
  const alike = pairs.filter(([[, [a]], [, [b]]]) => a?.category === b?.category);
  return alike.map(([[model, one], [minus, other]]) => [
    { model, minus },
    { one, other, seed },
  ]);
}

function valuesOf<Given>(figures: Figures<Given>, [names, given]: Row<Given>): object {
  const values = Object.entries(figures).map(([name, { of }]) => [name, of(given)?.value] as const);
  return { ...names, ...Object.fromEntries(values) };
}

/** A figure that applies to no row has no column. */
function tableOf<Given>(figures: Figures<Given>, rows: readonly Row<Given>[]): Table {
  const columns = Object.values(figures).map(({ title, of }) => [title, ...rows.map(([, given]) => of(given)?.text)]);
  const filled = columns.filter(([, ...texts]) => texts.some((text) => text !== undefined));
  const heads = [Object.keys(rows[0]?.[0] ?? {}), ...rows.map(([names]) => Object.values(names))];
  return heads.map((names, at) => [...names, ...filled.map((column) => column[at] ?? '–')]);
}

/** A line for each question: how many of its calls each model had right, else answered. */
function questionTable(results: Results): Table {
  const models = grouped(results, ({ model }) => model).map(([model]) => model);
  const lines = grouped(results, ({ question }) => question).map(([{ id, query }, calls]) => {
    const counts = models.map((model) => {
      const own = calls.filter((call) => call.model === model);
      return `${own.filter(({ right, answered }) => right ?? answered).length} / ${own.length}`;
    });
    return [id, query, ...counts];
  });
  return [['id', 'question', ...models], ...lines];
}
