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

/** A figure of a model or two, or a name. It has no text where it does not apply. */
export interface Cell extends Readonly<Record<'name' | 'title', string>> {
  readonly text?: string;
  readonly value?: unknown;
}
/** Tables with their titles in the first line. */
export type Tables = readonly (readonly (readonly Cell[])[])[];

const TITLES = { answer: 'Answers', search: 'Searches', extract: 'Extracts', rerank: 'Reranks' };

/** The report for scripts and for people. The shape of JSON has a version: shares are 0 to 1, times milliseconds, and what does not apply is absent. */
export function reportsOf(results: Results, facts: RunFacts) {
  const parts = COMPARED.map((category) => {
    const own = results.filter((result) => result.category === category);
    return { title: TITLES[category], lines: [modelLines(own), pairLines(own, facts.seed)] as const };
  });
  const valuesOf = (line: readonly Cell[]) => Object.fromEntries(line.map(({ name, value }) => [name, value]));
  const [models, pairs] = ([0, 1] as const).map((at) => parts.flatMap(({ lines }) => lines[at].map(valuesOf)));
  const calls = results.map(({ question: { id }, text: _text, ...result }) => ({ id, ...result }));
  const json = `${JSON.stringify({ version: 1, ...facts, models, pairs, results: calls }, null, 2)}\n`;
  const sections = parts.map(
    ({ title, lines }) => [title, lines.filter(({ length }) => length > 0).map(tableOf)] as const,
  );
  const filled = sections.filter(([, { length }]) => length > 0);
  const summary = summaryOf(results, facts);
  const md = filled.flatMap(([title, tables]) => [`## ${title}`, ...tables.map(markdownTable)]);
  return { json, md: `${['# Searchgate eval', summary, ...md].join('\n\n')}\n`, html: htmlReport(summary, filled) };
}

/** One paragraph about the run. */
function summaryOf(results: Results, { calls, url, runs, spent, ended, seed, createdAt }: RunFacts): string {
  const state = ended === null ? '' : ` The run is not complete: ${printable(ended)}.`;
  return `${results.length} of ${calls} calls of ${url}, ${runs} of each question, for $${spent}.${state} Shares and differences have 95 % intervals (seed ${seed}). ${createdAt}`;
}

function markdownTable([titles = [], ...lines]: Tables[number]): string {
  const escaped = ({ text = '' }: Cell) => printable(text).replace(/[|<\\`[]/g, '\\$&');
  const rows = [titles.map(escaped), titles.map(() => '---'), ...lines.map((cells) => cells.map(escaped))];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Each model with all its results; then by category of lines, if lines have any. */
function modelLines(results: Results) {
  const linesOf = (category: string, part: Results) =>
    grouped(part, ({ model }) => model).map(([model, own]) => lineOf({ model, category }, MODEL_FIGURES, own));
  const parts = grouped(results, ({ question }) => question.category).flatMap(([name, part]) =>
    name === undefined ? [] : linesOf(name, part),
  );
  return [...linesOf('all', results), ...parts];
}

function pairLines(results: Results, seed: number) {
  const models = grouped(results, ({ model }) => model);
  return models.flatMap(([model, one], at) =>
    models.slice(at + 1).map(([minus, other]) => lineOf({ model, minus }, PAIR_FIGURES, { one, other, seed })),
  );
}

type Figures<Given> = Readonly<Record<string, Figure<Given>>>;

function lineOf<Given>(names: Readonly<Record<string, string>>, figures: Figures<Given>, given: Given): Cell[] {
  const heads = Object.entries(names).map(([name, text]) => ({ name, title: name, text, value: text }));
  return [...heads, ...Object.entries(figures).map(([name, { title, of }]) => ({ name, title, ...of(given) }))];
}

/** A figure that applies to no line has no column. */
function tableOf(lines: readonly Cell[][]) {
  const titles = lines.slice(0, 1).map((line) => line.map(({ name, title }) => ({ name, title, text: title })));
  const isFilled = (_cell: Cell, at: number) => lines.some((line) => line[at]?.text !== undefined);
  return [...titles, ...lines].map((line) => line.filter(isFilled).map((cell) => ({ text: '–', ...cell })));
}
