import { parseUsd } from '@searchgate/core';
import type { Command } from 'commander';
import { usd } from '../../usd.js';
import type { AdminSession } from '../admin-session.js';
import { isNewOrganization, newOrganizationText } from '../new-organization.js';
import { amount, id, signedAmount } from '../option-values.js';
import { amountsJson } from '../present.js';
import type { Report } from '../report.js';
import type { Runner } from '../runner.js';

interface GrantOptions {
  readonly org: string;
  readonly amount: string;
  readonly note?: string;
  readonly id?: string;
}

interface AdjustOptions extends GrantOptions {
  readonly note: string;
  readonly key?: string;
}

const ID_HELP = 'names it, so that saying it again changes nothing; by default a new one';

export function addCreditCommands(program: Command, { report }: Runner): void {
  const credits = program.command('credits').description('grant credits, adjust what was used');
  credits
    .command('grant')
    .description('add credits to an organization')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--amount <usd>', 'how much', amount)
    .option('--note <text>', 'why, for the log')
    .option('--id <id>', ID_HELP, id)
    .action((options: GrantOptions) => report((session) => grant(session, options)));
  credits
    .command('adjust')
    .description('correct what an organization has used, and a key with it')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--amount <usd>', 'what is added to its usage: -1.50 gives 1.50 back', signedAmount)
    .requiredOption('--note <text>', 'why, for the log')
    .option('--key <id>', 'the key whose usage is corrected as well', id)
    .option('--id <id>', ID_HELP, id)
    .action((options: AdjustOptions) => report((session) => adjust(session, options)));
}

async function grant(
  session: AdminSession,
  { org, amount: usdText, note, id: grantId }: GrantOptions,
): Promise<Report> {
  const isNew = await isNewOrganization(session.administration, org);
  const done = await session.administration.grant({
    organizationId: org,
    amount: usdText,
    ...(note === undefined ? {} : { note }),
    ...(grantId === undefined ? {} : { grantId }),
  });
  const what = done.applied
    ? `Granted ${usd(parseUsd(usdText))} to ${org}`
    : `${done.grantId} was granted before, so nothing changed for ${org}`;
  const { text, json } = await withBalance(session, org, { what, json: { ...done, organizationIsNew: isNew } });
  return { text: isNew ? `${text}\n${newOrganizationText(org)}` : text, json };
}

async function adjust(
  session: AdminSession,
  { org, key, amount: usdText, note, id: adjustmentId }: AdjustOptions,
): Promise<Report> {
  const done = await session.administration.adjust({
    organizationId: org,
    amount: usdText,
    note,
    ...(key === undefined ? {} : { keyId: key }),
    ...(adjustmentId === undefined ? {} : { adjustmentId }),
  });
  const whose = key === undefined ? org : `${org} and of ${key}`;
  const what = done.applied
    ? `Corrected the usage of ${whose} by ${usd(parseUsd(usdText))}`
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
