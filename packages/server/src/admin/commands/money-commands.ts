import { formatUsd, parseUsd } from '@searchgate/core';
import type { StatementQuery, StatementRow } from '@searchgate/core/administration';
import { addSums, noUsage, USAGE_GROUPS } from '@searchgate/core/ledger';
import { type Command, Option } from 'commander';
import { problem } from '../../problems.js';
import { usd } from '../../usd.js';
import { allPages } from '../all-pages.js';
import { makesOrganization, newOrganizationText } from '../new-organization.js';
import {
  amount,
  budgetIds,
  CREATE,
  checkRange,
  date,
  id,
  type LogRange,
  type Setting,
  signedAmount,
} from '../option-values.js';
import { amountsJson } from '../present.js';
import type { AdminSession, Report, Runner } from '../runner.js';
import { type Column, table } from '../table.js';

interface GrantOptions {
  readonly org: string;
  readonly amount: string;
  readonly note?: string;
  readonly id?: string;
  readonly create?: boolean;
}

interface AdjustOptions extends GrantOptions {
  readonly note: string;
  readonly key?: string;
  readonly budgets?: Setting<readonly string[]>;
}

interface UsageOptions extends LogRange {
  readonly by: StatementQuery['by'];
}

const ID_HELP = 'names it, so that saying it again changes nothing; by default a new one';

export function addMoneyCommands(program: Command, { report }: Runner): void {
  const credits = program.command('credits').description('grant credits, revoke a grant, adjust what was used');
  credits
    .command('grant')
    .description('add credits to an organization')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--amount <usd>', 'how much', amount)
    .option('--note <text>', 'reason, for the log')
    .option('--id <id>', ID_HELP, id)
    .option(...CREATE)
    .action((options: GrantOptions) => report((session) => grant(session, options)));
  credits
    .command('revoke')
    .description('take a grant back: its amount is added to what the organization has used')
    .argument('<id>', 'the id of the grant', id)
    .requiredOption('--org <id>', 'its organization', id)
    .option('--note <text>', 'reason, for the log')
    .action((grantId: string, options: { org: string; note?: string }) =>
      report((session) => revoke(session, grantId, options)),
    );
  credits
    .command('adjust')
    .description('correct what an organization has used, and a key with it')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--amount <usd>', 'what is added to its usage: -1.50 gives 1.50 back', signedAmount)
    .requiredOption('--note <text>', 'reason, for the log')
    .option('--key <id>', 'the key whose usage is corrected as well', id)
    .option('--budgets <ids>', 'the budgets whose usage is corrected as well, with commas in between', budgetIds)
    .option('--id <id>', ID_HELP, id)
    .action((options: AdjustOptions) => report((session) => adjust(session, options)));
  program
    .command('usage')
    .description('sum up what was charged by organization, key, budget, model, tag or day')
    .addOption(new Option('--by <group>', 'what a line is of').choices(USAGE_GROUPS).default('organization'))
    .option('--since <date>', 'the first day that counts, in UTC', date)
    .option('--until <date>', 'the day after the last one', date)
    .option('--org <id>', 'of one organization', id)
    .option('--key <id>', 'of one key', id)
    .action(({ by, since, until, org, key }: UsageOptions, command: Command) => {
      checkRange(command, { since, until });
      const query = { by, from: since, to: until, organizationId: org, keyId: key };
      return report(async ({ administration }) => {
        const rows = await administration.statement(query);
        // The rows of budgets overlap.
        const parts = by === 'budget' ? await administration.statement({ ...query, by: 'organization' }) : rows;
        return usageReport(by, rows, parts);
      });
    });
}

async function grant(session: AdminSession, options: GrantOptions): Promise<Report> {
  const { org, amount: text, note, id: grantId, create } = options;
  const isNew = await makesOrganization(session, org, create);
  const done = await session.administration.grant({ organizationId: org, amount: text, note, grantId });
  const what = done.applied
    ? `Granted ${usd(parseUsd(text))} to ${org}`
    : `${done.grantId} was granted before, so nothing changed for ${org}`;
  const balance = await withBalance(session, org, { what, json: { ...done, organizationIsNew: isNew } });
  return isNew ? { ...balance, text: `${balance.text}\n${newOrganizationText(org)}` } : balance;
}

/** A grant stays in the log; an adjustment of the same amount undoes it, once by its id. */
async function revoke(session: AdminSession, grantId: string, { org, note }: { org: string; note?: string }) {
  const granted = await amountOf(session, grantId, org);
  const reason = note === undefined ? '' : `: ${note}`;
  const { applied } = await session.administration.adjust({
    adjustmentId: `${grantId}.revoked`,
    organizationId: org,
    amount: formatUsd(granted),
    note: `revokes the grant ${grantId}${reason}`,
  });
  const what = applied
    ? `Revoked the grant ${grantId} of ${usd(granted)} to ${org}`
    : `${grantId} was revoked before, so nothing changed for ${org}`;
  return withBalance(session, org, { what, json: { grantId, amount: formatUsd(granted), applied } });
}

async function amountOf({ administration }: AdminSession, grantId: string, organizationId: string) {
  for await (const { entries } of allPages((page) => administration.entries({ organizationId, ...page }))) {
    const found = entries.find(({ kind, id: entryId }) => kind === 'grant' && entryId === grantId);
    if (found !== undefined) return found.amount;
  }
  throw problem('<id>', grantId, `the id of a grant to ${organizationId}; entries export shows them`);
}

async function adjust(session: AdminSession, options: AdjustOptions): Promise<Report> {
  const { org, key: keyId, amount: text, note, id: adjustmentId } = options;
  const budgets = options.budgets?.to ?? undefined;
  const { administration } = session;
  const done = await administration.adjust({ organizationId: org, keyId, budgets, amount: text, note, adjustmentId });
  const whose = [org, ...(keyId === undefined ? [] : [keyId]), ...(budgets ?? [])].join(' and of ');
  const what = done.applied
    ? `Corrected the usage of ${whose} by ${usd(parseUsd(text))}`
    : `${done.adjustmentId} was applied before, so nothing changed for ${whose}`;
  return withBalance(session, org, { what, json: done });
}

async function withBalance(
  { ledger }: AdminSession,
  organizationId: string,
  { what, json }: { readonly what: string; readonly json: object },
): Promise<Report> {
  const totals = await ledger.organizationTotals(organizationId);
  return {
    text: `${what}: ${usd(totals.credits)} credits, ${usd(totals.usage)} used.`,
    json: { ...json, organizationId, ...amountsJson({ ...totals }) },
  };
}

const SUMS: readonly Column<StatementRow>[] = [
  { title: 'answers', align: 'right', of: ({ charges }) => String(charges) },
  { title: 'charged', align: 'right', of: ({ charged }) => usd(charged) },
  { title: 'of it cached', align: 'right', of: ({ cached }) => usd(cached) },
  { title: 'owed', align: 'right', of: ({ upstreamCost }) => usd(upstreamCost) },
  { title: 'adjusted', align: 'right', of: ({ adjusted }) => usd(adjusted) },
  { title: 'granted', align: 'right', of: ({ granted }) => usd(granted) },
  { title: 'lost', align: 'right', of: ({ lost }) => usd(lost) },
];

/** @param parts of which the last line is the sum. */
function usageReport(by: StatementQuery['by'], rows: readonly StatementRow[], parts: readonly StatementRow[]): Report {
  const sums = noUsage();
  for (const row of parts) addSums(sums, row);
  const lines = rows.length > 1 ? [...rows, { group: 'in all', ...sums }] : rows;
  const text = table([{ title: by, of: ({ group }) => group ?? '–' }, ...SUMS], lines);
  const json = rows.map(({ group, charges, cachedCharges, ...amounts }) => ({
    group,
    charges,
    cachedCharges,
    ...amountsJson(amounts),
  }));
  return { text: rows.length === 0 ? 'Nothing happened in that time.' : text, json };
}
