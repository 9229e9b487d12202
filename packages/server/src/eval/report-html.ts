import { costPerCall, grouped, type Results, shareOf } from './figures.js';
import type { Section, Table } from './report.js';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [520, 290, 44, 40, 10];
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5b6168; --line: #d9dce0; --mark: #1f5fbf; --page: #fff }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --soft: #a0a6ad; --line: #3a3f45; --mark: #7fb0ff; --page: #17191c } }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem } p { overflow-wrap: anywhere; margin: 0 }
p, th, .soft, summary { color: var(--soft); fill: var(--soft) } div { overflow-x: auto; margin: 1rem 0 } summary { cursor: pointer }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
th, td { border-bottom: 1px solid var(--line); padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top }
details td:nth-child(2) { white-space: normal; min-width: 14rem }
svg { display: block; width: 38rem; max-width: 100%; min-width: 26rem; height: auto; font-size: 12px; fill: var(--text) }
line { stroke: var(--line) } .mark { stroke: var(--mark); fill: var(--mark); stroke-width: 2 }`;

/** One page without scripts and without an address to load. Every text is escaped. */
export function htmlReport(summary: string, sections: readonly Section[]): string {
  const parts = sections.map(({ title, results, figures, questions }) => {
    const rest = `<details><summary>Questions</summary>${tableHtml(questions)}</details>`;
    return [`<h2>${title}</h2>`, `<div>${plot(results)}</div>`, ...figures.map(tableHtml), rest].join('\n');
  });
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

function tableHtml(lines: Table): string {
  const rows = lines.map((cells, at) => {
    const tag = at === 0 ? 'th' : 'td';
    return `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  });
  return `<div><table>\n${rows.join('\n')}\n</table></div>`;
}

/** The cost of a call against the share of right calls; of answered calls, where no line has a check. */
function plot(results: Results): string {
  const hasChecks = results.some(({ right }) => right !== undefined);
  const models = grouped(results, ({ model }) => model);
  const dearest = Math.max(...models.map(([, own]) => costPerCall(own))) * 1.25 || 0.01;
  const xOf = (usd: number) => Math.round(LEFT + (usd / dearest) * (WIDTH - LEFT - 8));
  const yOf = (share: number) => Math.round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM));
  const label = ([x, y]: readonly [number, number], text: string, rest: string) =>
    `<text x="${x}" y="${y}" ${rest}>${escaped(text)}</text>`;
  const middle = (tick: number) => `class="soft" text-anchor="${tick === 1 ? 'end' : 'middle'}"`;
  const grid = TICKS.flatMap((tick) => [
    `<line x1="${LEFT}" x2="${WIDTH}" y1="${yOf(tick)}" y2="${yOf(tick)}"/>`,
    label([LEFT - 6, yOf(tick) + 4], `${tick * 100} %`, 'class="soft" text-anchor="end"'),
    label([xOf(dearest * tick), HEIGHT - 22], `$${(dearest * tick).toFixed(4)}`, middle(tick)),
  ]);
  const marks = models.flatMap(([model, own]) => {
    const share = shareOf(own, ({ right, answered }) => (hasChecks ? right : answered));
    if (share === undefined) return [];
    const [x, y] = [xOf(costPerCall(own)), yOf(share.value)];
    const [gap, anchor] = x > WIDTH * 0.6 ? [-9, 'end'] : [9, 'start'];
    return [
      `<line class="mark" x1="${x}" x2="${x}" y1="${yOf(share.low)}" y2="${yOf(share.high)}"/>`,
      `<circle class="mark" cx="${x}" cy="${y}" r="4"/>`,
      label([x + gap, y + 4], model, `text-anchor="${anchor}"`),
    ];
  });
  const title = `${hasChecks ? 'Right' : 'Answered'} calls by the cost of a call in US dollars, with 95 % intervals`;
  const parts = [...grid, ...marks, label([LEFT, HEIGHT - 4], title, 'class="soft"')].join('\n');
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">\n${parts}\n</svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
