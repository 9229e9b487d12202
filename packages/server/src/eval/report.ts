import { printable } from '../admin/table.js';
import { type Figure, grouped, MODEL_FIGURES, PAIR_FIGURES, type Results } from './figures.js';
import { COMPARED } from './questions.js';
import { htmlReport } from './report-html.js';

/**
 * What was asked of whom, and how far it came. Amounts are decimal US dollars. `spent` is the cost of the run so far, also of questions that are no longer in
 * the file; `calls` of a whole run; `ended` says why some are missing.
 */
type RunFacts = Readonly<Record<'createdAt' | 'url' | 'maxCost' | 'spent', string>> &
  Readonly<Record<'runs' | 'seed' | 'calls', number>> & { readonly ended: string | null };

type Names = Readonly<Record<string, string>>;
/** A model or two, with their figures. */
interface Line {
  readonly names: Names;
  readonly figures: readonly (Partial<Cell> & { readonly name: string; readonly title: string })[];
}

/** A text, and the value behind it. */
export interface Cell {
  readonly text: string;
  readonly value: unknown;
}
/** The tables of one category of models. The first line of each has the titles. */
export interface Section {
  readonly title: string;
  readonly tables: readonly (readonly (readonly Cell[])[])[];
}

const TITLES = { answer: 'Answers', search: 'Searches', extract: 'Extracts', rerank: 'Reranks' };

/** The report for scripts and for people. The shape of JSON has a version: shares are 0 to 1, times milliseconds, and what does not apply is absent. */
export function reportsOf(results: Results, facts: RunFacts) {
  const parts = COMPARED.map((category) => {
    const own = results.filter((result) => result.category === category);
    return { category, models: modelLines(own), pairs: pairLines(own, facts.seed) };
  });
  const sections = parts.flatMap(({ category, models, pairs }) => {
    const tables = [models, pairs].filter(({ length }) => length > 0).map(tableOf);
    return tables.length === 0 ? [] : [{ title: TITLES[category], tables }];
  });
  const summary = summaryOf(results, facts);
  const [models, pairs] = (['models', 'pairs'] as const).map((each) =>
    parts.flatMap((part) => part[each].map(valuesOf)),
  );
  const calls = results.map(({ question: { id }, text: _text, ...result }) => ({ id, ...result }));
  const json = `${JSON.stringify({ version: 1, ...facts, models, pairs, results: calls }, null, 2)}\n`;
  return { json, md: markdownReport(summary, sections), html: htmlReport(summary, sections) };
}

/** One paragraph about the run. */
function summaryOf(results: Results, { calls, url, runs, spent, ended, seed, createdAt }: RunFacts): string {
  const state = ended === null ? '' : ` The run is not complete: ${printable(ended)}.`;
  return `${results.length} of ${calls} calls of ${url}, ${runs} of each question, for $${spent}.${state} Shares and differences have 95 % intervals (seed ${seed}). ${createdAt}`;
}

function markdownReport(summary: string, sections: readonly Section[]): string {
  const escaped = ({ text }: Cell) => printable(text).replace(/[|<\\`[]/g, '\\$&');
  const parts = sections.flatMap(({ title, tables }) => {
    const texts = tables.map(([titles = [], ...lines]) => {
      const rows = [titles.map(escaped), titles.map(() => '---'), ...lines.map((cells) => cells.map(escaped))];
      return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
    });
    return [`## ${title}`, ...texts];
  });
  return `${['# Searchgate eval', summary, ...parts].join('\n\n')}\n`;
}

/** Each model with all its results; then by category of lines, if lines have any. */
function modelLines(results: Results): Line[] {
  const linesOf = (category: string, part: Results) =>
    grouped(part, ({ model }) => model).map(([model, own]) => lineOf({ model, category }, MODEL_FIGURES, own));
  const parts = grouped(results, ({ question }) => question.category).flatMap(([name, part]) =>
    name === undefined ? [] : linesOf(name, part),
  );
  return [...linesOf('all', results), ...parts];
}

function pairLines(results: Results, seed: number): Line[] {
  const models = grouped(results, ({ model }) => model);
  return models.flatMap(([model, one], at) =>
    models.slice(at + 1).map(([minus, other]) => lineOf({ model, minus }, PAIR_FIGURES, { one, other, seed })),
  );
}

function lineOf<Given>(names: Names, figures: Readonly<Record<string, Figure<Given>>>, given: Given): Line {
  return { names, figures: Object.entries(figures).map(([name, { title, of }]) => ({ name, title, ...of(given) })) };
}

const valuesOf = ({ names, figures }: Line) => ({
  ...names,
  ...Object.fromEntries(figures.map(({ name, value }) => [name, value])),
});

/** A figure that applies to no line has no column. */
function tableOf(lines: readonly Line[]) {
  const cell = (text = '–', value?: unknown): Cell => ({ text, value });
  const isFilled = (_figure: unknown, at: number) => lines.some(({ figures }) => figures[at]?.text !== undefined);
  const heads = lines
    .slice(0, 1)
    .map(({ names, figures }) => [
      ...Object.keys(names).map((name) => cell(name)),
      ...figures.filter(isFilled).map(({ title }) => cell(title)),
    ]);
  const rows = lines.map(({ names, figures }) => [
    ...Object.values(names).map((name) => cell(name)),
    ...figures.filter(isFilled).map(({ text, value }) => cell(text, value)),
  ]);
  return [...heads, ...rows];
}
