import type { AuditRecord, RequestTextOwner } from '@searchgate/core/ledger';
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
      'remove the kept replies and the vendor keys of an organization, and its rows from the log of calls and the record of changes',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .option('--budget <id>', 'one budget alone: delete it, and take its id out of revoked keys and of both logs', id)
    .option('--texts', 'the questions and answers that are kept of calls alone; with --key or --tag those of one')
    .option('--key <id>', 'with --texts: of calls of this key', id)
    .option('--tag <tag>', 'with --texts: of calls with this tag')
    .action(({ org, budget, texts, key, tag }: EraseOptions, command: Command) => {
      if (texts !== true && (key ?? tag) !== undefined) command.error('error: --key and --tag need --texts');
      return report(async (session) => {
        if (texts === true) return eraseTexts(session, { organizationId: org, keyId: key, tag });
        if (budget !== undefined) return eraseBudget(session, org, budget);
        const { replies, requests, changes, tenantKeys } = session.administration;
        const removed = {
          replies: (await replies?.erase(org)) ?? 0,
          requests: (await requests?.erase(org)) ?? 0,
          changes: (await changes?.erase(org)) ?? 0,
          tenantKeys: (await tenantKeys?.erase(org)) ?? 0,
        };
        const text = `${removed.replies} replies, ${removed.requests} calls, ${removed.changes} changes and ${removed.tenantKeys} vendor keys of ${org} were removed. Its entries in the ledger, and the records of money and of erasing, stay.`;
        return { text, json: removed };
      });
    });
}

interface EraseOptions {
  readonly org: string;
  readonly budget?: string;
  readonly texts?: boolean;
  readonly key?: string;
  readonly tag?: string;
}

async function eraseTexts({ administration }: AdminSession, owner: RequestTextOwner): Promise<Report> {
  const texts = (await administration.requests?.eraseTexts(owner)) ?? 0;
  return { text: `${texts} questions with their answers were removed; the calls stay.`, json: { texts } };
}

async function eraseBudget({ administration }: AdminSession, org: string, budget: string): Promise<Report> {
  const { wasSet, changes, requests } = await administration.budgets.erase(org, budget);
  const what = wasSet ? `The budget ${budget} of ${org} was deleted` : `${org} has no budget ${budget}`;
  const text = `${what}; ${changes} changes and ${requests} calls no longer name it. Entries, sums and counters of the ledger still do.`;
  return { text, json: { wasSet, changes, requests } };
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
