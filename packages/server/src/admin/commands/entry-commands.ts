import type { Ledger } from '@searchgate/core';
import type { LedgerEntry } from '@searchgate/core/ledger';
import { type Command, Option } from 'commander';
import { allPages } from '../all-pages.js';
import { type Archived, archiveEntries } from '../archive-entries.js';
import { lineOf } from '../archive-file.js';
import { CSV_HEADER, entryCsv } from '../entry-csv.js';
import { checkRange, day, type LogRange, msOf, withRange } from '../option-values.js';
import type { AdminContext, Runner } from '../runner.js';

interface ExportOptions extends LogRange {
  readonly format?: 'csv' | 'ndjson';
}

export function addEntryCommands(program: Command, { report, stream, isJson }: Runner): void {
  const entries = program.command('entries').description('export the log as CSV or NDJSON, archive old entries');
  withRange(entries.command('export'))
    .description('write the log of the ledger (grants, charges, corrections), a line each, oldest first')
    .addOption(
      new Option('--format <format>', 'csv (default) or ndjson, which --json means as well').choices(['csv', 'ndjson']),
    )
    .action(async ({ format = isJson() ? 'ndjson' : 'csv', ...range }: ExportOptions, command: Command) => {
      checkRange(command, range);
      await stream(({ ledger }, out) => writeEntries(ledger, range, { format, out }));
    });
  entries
    .command('archive')
    .description(
      'move old entries into a file; counters, usage and verify stay right, and the service may keep running',
    )
    .requiredOption('--before <date>', 'the first day that stays in the log, in UTC', day)
    .requiredOption('--to <file>', 'a new file, such as 2025.ndjson.gz')
    .action(({ before, to }: { before: string; to: string }) =>
      report(async ({ ledger }) => {
        const { written, removed } = await archiveEntries(ledger, Date.parse(before), to);
        return {
          text: archivedText({ written, removed, before, to }),
          json: { written, removed, file: written + removed === 0 ? null : to },
        };
      }),
    );
}

function archivedText({ written, removed, before, to }: Archived & { readonly before: string; readonly to: string }) {
  if (written + removed === 0) return `There is nothing to archive before ${before}.`;
  const inFile = written === 0 ? `${to} was written by an earlier run` : `${written} entries written to ${to}`;
  return `${inFile}, ${removed} removed from the log. Grants and corrections stay.`;
}

async function writeEntries(
  ledger: Ledger,
  { since, until, org, key }: LogRange,
  { format, out }: { readonly format: 'csv' | 'ndjson'; readonly out: AdminContext['out'] },
): Promise<void> {
  const print = format === 'csv' ? entryCsv : (entry: LedgerEntry) => `${lineOf(entry)}\n`;
  const query = { organizationId: org, keyId: key, fromMs: msOf(since), toMs: msOf(until) };
  if (format === 'csv') await out(CSV_HEADER);
  for await (const { entries } of allPages((page) => ledger.entries({ ...query, ...page }))) {
    if (entries.length > 0) await out(entries.map(print).join(''));
  }
}
