import type { Row } from './build-report.js';
import type { Report, Section } from './report.js';
import type { Cells } from './report-tables.js';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 320, 48, 40, 16];
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5b6168; --line: #d9dce0; --mark: #1f5fbf; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --soft: #a0a6ad; --line: #3a3f45; --mark: #7fb0ff; --page: #17191c; }
}
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p { color: var(--soft); margin: 0 0 1rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top;
  overflow-wrap: normal; min-width: 4rem; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td:nth-child(2) { min-width: 6rem; } details td:nth-child(2) { min-width: 14rem; }
svg { display: block; width: 100%; min-width: 30rem; max-width: 45rem; height: auto; }
svg text { fill: var(--text); font-size: 13px; } svg .soft { fill: var(--soft); }
svg line { stroke: var(--line); } svg .mark { stroke: var(--mark); fill: var(--mark); stroke-width: 2; }
summary { cursor: pointer; }`;

/** One page without scripts and without any address to load. Every text is escaped. */
export function htmlReport({ summary, sections }: Report): string {
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
${sections.map(sectionHtml).join('\n')}
</body>
</html>
`;
}

function sectionHtml({ title, rows, tables, questions }: Section): string {
  return `<h2>${escaped(title)}</h2>
<div class="wide">${plot(rows)}</div>
${tables.map(tableHtml).join('\n')}
<details><summary>Questions</summary>${tableHtml(questions)}</details>`;
}

function tableHtml([titles = [], ...lines]: Cells): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<div class="wide"><table><thead>${row(titles, 'th')}</thead><tbody>
${lines.map((cells) => row(cells, 'td')).join('\n')}
</tbody></table></div>`;
}

/** Cost of a call against the share of right replies; of answered calls, where no line has a check. */
function plot(rows: readonly Row[]): string {
  const hasChecks = rows.some(({ right }) => right !== null);
  const dearest = Math.max(...rows.map(({ costPerCall }) => costPerCall)) * 1.25 || 0.001;
  const x = (usd: number) => LEFT + (usd / dearest) * (WIDTH - LEFT - 8);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const grid = TICKS.map(
    (tick) =>
      `<line x1="${LEFT}" x2="${WIDTH}" y1="${y(tick)}" y2="${y(tick)}"/><text class="soft" text-anchor="end" x="${LEFT - 6}" y="${y(tick) + 4}">${tick * 100} %</text>
<text class="soft" text-anchor="${tick === 1 ? 'end' : 'middle'}" x="${x(dearest * tick)}" y="${HEIGHT - 22}">$${(dearest * tick).toFixed(4)}</text>`,
  );
  const marks = rows.flatMap(({ model, costPerCall, right, answered }) => {
    const share = hasChecks ? right : answered;
    if (share === null) return [];
    const at = x(costPerCall);
    const isFarRight = at > WIDTH * 0.6;
    return `<line class="mark" x1="${at}" x2="${at}" y1="${y(share.low)}" y2="${y(share.high)}"/><circle class="mark" cx="${at}" cy="${y(share.value)}" r="4"/>
<text text-anchor="${isFarRight ? 'end' : 'start'}" x="${at + (isFarRight ? -9 : 9)}" y="${y(share.value) + 4}">${escaped(model)}</text>`;
  });
  const title = `${hasChecks ? 'Right' : 'Answered'} calls (up) by the cost of a call in US dollars (to the right), with 95 % intervals`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
${[...grid, ...marks].join('\n')}
<text class="soft" x="${LEFT}" y="${HEIGHT - 4}">${title}</text>
</svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
