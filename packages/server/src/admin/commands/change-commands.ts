import type { AuditRecord } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { checkRange, id, type LogRange, msOf, withRange } from '../option-values.js';
import { isoTime } from '../present.js';
import type { AdminSession, Report, Runner } from '../runner.js';
import { type Column, table } from '../table.js';

interface ChangesOptions extends LogRange {
  readonly actor?: string;
}

const MOST = 1_000;

export function addChangeCommands(program: Command, { report }: Runner): void {
  withRange(program.command('changes'))
    .description(`who changed what: the newest ${MOST.toLocaleString('en-US')}`)
    .option('--actor <name>', 'by one person, token or user, such as token:ci')
    .action((options: ChangesOptions, command: Command) => {
      checkRange(command, options);
      return report((session) => list(session, options));
    });
  program
    .command('erase')
    .description(
      'remove the kept replies of an organization, and its rows from the log of calls and the record of changes',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .action(({ org }: { org: string }) =>
      report(async ({ administration: { replies, requests, changes } }) => {
        const removed = {
          replies: (await replies?.erase(org)) ?? 0,
          requests: (await requests?.erase(org)) ?? 0,
          changes: (await changes?.erase(org)) ?? 0,
        };
        const text = `${removed.replies} replies, ${removed.requests} calls and ${removed.changes} changes of ${org} were removed. Its entries in the ledger, and the records of money and of erasing, stay.`;
        return { text, json: removed };
      }),
    );
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  { title: 'at', of: ({ atMs }) => isoTime(atMs) },
  { title: 'actor', of: ({ actor }) => actor },
  { title: 'action', of: ({ action }) => action },
  { title: 'outcome', of: ({ outcome }) => outcome },
  { title: 'organization', of: ({ organizationId }) => organizationId },
  { title: 'key', of: ({ keyId }) => keyId ?? '–' },
  { title: 'given', of: ({ given }) => JSON.stringify(given) },
];

async function list({ administration }: AdminSession, options: ChangesOptions): Promise<Report> {
  const { since, until, org, key, actor } = options;
  const times = { sinceMs: msOf(since), untilMs: msOf(until) };
  const filter = { ...times, keyId: key, actor, organizations: org === undefined ? undefined : [org] };
  const { records = [] } = (await administration.changes?.find(filter, { limit: MOST })) ?? {};
  return {
    text: records.length === 0 ? 'There is no change.' : table(COLUMNS, records),
    json: records.map(({ atMs, ...record }) => ({ at: isoTime(atMs), ...record })),
  };
}
