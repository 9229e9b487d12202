import { readdirSync, readFileSync } from 'node:fs';
import { withGenerated } from '../../scripts/provider-docs/generated-part.ts';
import { markdownTable } from '../../scripts/provider-docs/markdown-table.ts';

const ROWS = new URL('./rows/', import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The files of rows, in the order of their names. @type {{ clients: import('./row.mjs').Clients, rows: import('./row.mjs').Rows }[]} */
export const families = await Promise.all(readdirSync(ROWS).map((file) => import(new URL(file, ROWS))));

const described = families.flatMap(({ clients }) => Object.entries(clients));

/** The page, and its text as it should be: with the table of all clients. */
export const page = new URL('../../../docs/clients/your-client.md', import.meta.url);
export const current = readFileSync(page, 'utf8');
export const wanted = withGenerated(
  current,
  'clients',
  markdownTable([
    ['client', 'base URL', 'key', 'what differs'],
    ...described.map(([client, cells]) => [nameOf(client), ...cells]),
  ]),
);

/** A package with its version, which may have another name in `dependencies`, or a program. */
function nameOf(client) {
  const pinned = /^(?:npm:(.+)@)?([^@]+)$/.exec(dependencies[client] ?? '');
  return pinned === null ? `${client} (form)` : `\`${pinned[1] || client}\` ${pinned[2]}`;
}

/** What is described and not called, or called or installed and not described. @param {import('./row.mjs').Row[]} rows @returns {string[]} */
export function unmatched(rows) {
  const names = new Set(described.map(([client]) => client));
  const called = new Set(rows.map(({ client }) => client));
  return [...new Set([...Object.keys(dependencies), ...called, ...names])].filter(
    (name) => !names.has(name) || !called.has(name),
  );
}
