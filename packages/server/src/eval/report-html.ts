import { z } from 'zod';
import type { Cell, Tables } from './report.js';

const STYLE = `
:root { color-scheme: light dark; --soft: light-dark(#5b6168, #a0a6ad); --line: light-dark(#d9dce0, #3a3f45); --mark: light-dark(#1f5fbf, #7fb0ff) }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 3rem; font: 15px/1.5 system-ui, sans-serif }
div { overflow-x: auto; margin: 1rem 0 } p { overflow-wrap: anywhere } p, th { color: var(--soft) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
th, td { border-bottom: 1px solid var(--line); padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top }
svg { display: block; width: 8rem; height: .6rem; background: var(--line); stroke: var(--mark); fill: var(--mark) }`;

/** One page without scripts and without an address to load. Every text is escaped. */
export function htmlReport(summary: string, sections: readonly (readonly [title: string, Tables])[]): string {
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
