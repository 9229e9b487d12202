import { answeredOf, costPerCall, grouped, type Results, shareOf } from './figures.js';
import type { Section, Table } from './report.js';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 320, 48, 40, 16];
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5b6168; --line: #d9dce0; --mark: #1f5fbf; --page: #fff }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --soft: #a0a6ad; --line: #3a3f45; --mark: #7fb0ff; --page: #17191c } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem }
p, th, .soft { color: var(--soft); fill: var(--soft) } p { overflow-wrap: anywhere; margin: 0 }
div { overflow-x: auto; margin: 1rem 0 } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top } th { white-space: nowrap }
td { max-width: 24rem; min-width: 4.5rem }
svg { display: block; width: 45rem; max-width: 100%; min-width: 32rem; height: auto; font-size: 13px; fill: var(--text) }
line { stroke: var(--line) } .mark { stroke: var(--mark); fill: var(--mark); stroke-width: 2 }`;

/** One page without scripts and without an address to load. Every text is escaped. */
export function htmlReport(summary: string, sections: readonly Section[]): string {
  const parts = sections.map(({ title, results, tables }) => {
    return `<h2>${title}</h2>\n<div>${plot(results)}</div>\n${tables.map(tableHtml).join('\n')}`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Searchgate eval</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Searchgate eval</h1>
<p>${escaped(summary)}</p>
${parts.join('\n')}
</body>
</html>
`;
}

function tableHtml([titles = [], ...lines]: Table): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const body = lines.map((cells) => row(cells, 'td')).join('\n');
  return `<div><table><thead>${row(titles, 'th')}</thead><tbody>\n${body}\n</tbody></table></div>`;
}

/** The cost of a call against the share of right calls; of answered calls, where no line has a check. */
function plot(results: Results): string {
  const hasChecks = results.some(({ right }) => right !== undefined);
  const models = [...grouped(results, ({ model }) => model)];
  const dearest = Math.max(...models.map(([, own]) => costPerCall(own))) * 1.25 || 0.01;
  const xOf = (usd: number) => Math.round(LEFT + (usd / dearest) * (WIDTH - LEFT - 8));
  const yOf = (share: number) => Math.round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM));
  const label = (text: string, x: number, y: number, rest = '') =>
    `<text x="${x}" y="${y}" ${rest}>${escaped(text)}</text>`;
  const stroke = (x: readonly [number, number], y: readonly [number, number], rest = '') =>
    `<line x1="${x[0]}" x2="${x[1]}" y1="${y[0]}" y2="${y[1]}" ${rest}/>`;
  const grid = TICKS.flatMap((tick) => [
    stroke([LEFT, WIDTH], [yOf(tick), yOf(tick)]),
    label(`${tick * 100} %`, LEFT - 6, yOf(tick) + 4, 'class="soft" text-anchor="end"'),
    label(
      `$${(dearest * tick).toFixed(4)}`,
      xOf(dearest * tick),
      HEIGHT - 22,
      `class="soft" text-anchor="${tick === 1 ? 'end' : 'middle'}"`,
    ),
  ]);
  const marks = models.flatMap(([model, own]) => {
    const share = shareOf(own, hasChecks ? ({ right }) => right : answeredOf);
    if (share === undefined) return [];
    const [x, y] = [xOf(costPerCall(own)), yOf(share.value)];
    const [gap, anchor] = x > WIDTH * 0.6 ? [-9, 'end'] : [9, 'start'];
    const bar = stroke([x, x], [yOf(share.low), yOf(share.high)], 'class="mark"');
    return [
      bar,
      `<circle class="mark" cx="${x}" cy="${y}" r="4"/>`,
      label(model, x + gap, y + 4, `text-anchor="${anchor}"`),
    ];
  });
  const title = `${hasChecks ? 'Right' : 'Answered'} calls by the cost of a call in US dollars, with 95 % intervals`;
  const parts = [...grid, ...marks, label(title, LEFT, HEIGHT - 4, 'class="soft"')].join('\n');
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">\n${parts}\n</svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
