import { z } from 'zod';
import { printable } from '../admin/table.js';
import { type Figure, grouped, MODEL_FIGURES, PAIR_FIGURES, type Results } from './figures.js';
import { COMPARED } from './questions.js';

/**
 * What was asked of whom, and how far it came. Amounts are decimal US dollars. `spent` is the cost of the run so far, also of questions that are no longer in
 * the file; `calls` of a whole run; `ended` says why some are missing.
 */
type RunFacts = Readonly<Record<'createdAt' | 'url' | 'maxCost' | 'spent', string>> &
  Readonly<Record<'runs' | 'seed' | 'calls', number>> & { readonly ended: string | null };

/** A figure of a model or two, or a name. It has no text where it does not apply. */
interface Cell extends Readonly<Record<'name' | 'title', string>> {
  readonly text?: string;
  readonly value?: unknown;
}
/** Tables with their titles in the first line. */
type Tables = readonly (readonly (readonly Cell[])[])[];

const STYLE = `
:root { color-scheme: light dark; --soft: light-dark(#5b6168, #a0a6ad); --line: light-dark(#d9dce0, #3a3f45); --mark: light-dark(#1f5fbf, #7fb0ff) }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 3rem; font: 15px/1.5 system-ui, sans-serif }
div { overflow-x: auto; margin: 1rem 0 } p { overflow-wrap: anywhere } p, th { color: var(--soft) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
th, td { border-bottom: 1px solid var(--line); padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top }
svg { display: block; width: 8rem; height: .6rem; background: var(--line); stroke: var(--mark); fill: var(--mark) }`;

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
  const sections = parts
    .map(({ title, lines }) => [title, lines.filter(({ length }) => length > 0).map(tableOf)] as const)
    .filter(([, { length }]) => length > 0);
  const summary = summaryOf(results, facts);
  const md = sections.flatMap(([title, tables]) => [`## ${title}`, ...tables.map(markdownTable)]);
  return { json, md: `${['# Searchgate eval', summary, ...md].join('\n\n')}\n`, html: htmlReport(summary, sections) };
}

/** One paragraph about the run. */
function summaryOf(results: Results, { calls, url, runs, spent, ended, seed, createdAt }: RunFacts): string {
  const state = ended === null ? '' : ` The run is not complete: ${printable(ended)}.`;
  return `${results.length} of ${calls} calls of ${url}, ${runs} of each question, for $${spent}.${state} Shares and differences have 95 % intervals (seed ${seed}). ${createdAt}`;
}

function markdownTable([titles = [], ...lines]: Tables[number]): string {
  const cellOf = ({ text = '' }: Cell) => printable(text).replace(/[|<\\`[]/g, '\\$&');
  const rows = [titles.map(cellOf), titles.map(() => '---'), ...lines.map((cells) => cells.map(cellOf))];
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

/** One page without scripts and without an address to load. Every text is escaped. */
function htmlReport(summary: string, sections: readonly (readonly [title: string, Tables])[]): string {
  const parts = sections.flatMap(([title, tables]) => [`<h2>${title}</h2>`, ...tables.map(tableHtml)]);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Searchgate eval</title>
<style>${STYLE}</style>
<h1>Searchgate eval</h1>
<p>${escaped(summary)}</p>
${parts.join('\n')}
</html>
`;
}

function tableHtml(lines: Tables[number]): string {
  const rows = lines.map((cells, at) => {
    const tag = at === 0 ? 'th' : 'td';
    return `<tr>${cells.map((cell) => `<${tag}>${escaped(cell.text ?? '')}${plot(cell)}</${tag}>`).join('')}</tr>`;
  });
  return `<div><table>\n${rows.join('\n')}\n</table></div>`;
}

/** Differences have a field more. */
const shareSchema = z.strictObject({ value: z.number(), low: z.number(), high: z.number() });

/** A share with its interval, on a line from 0 to 1. */
function plot({ value: figure }: Cell): string {
  const { data } = shareSchema.safeParse(figure);
  if (data === undefined) return '';
  const [x, low, high] = [data.value, data.low, data.high].map((share) => (share * 96 + 2).toFixed(1));
  const line = `<line x1="${low}" x2="${high}" y1="4" y2="4"/>`;
  return `<svg viewBox="0 0 100 8" aria-hidden="true">${line}<circle cx="${x}" cy="4" r="2"/></svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
