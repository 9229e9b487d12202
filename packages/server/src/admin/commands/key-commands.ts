import { formatUsd } from '@searchgate/core';
import {
  AdministrationError,
  type ApiKeyUpdate,
  type ApiKeyView,
  type NewApiKey,
} from '@searchgate/core/administration';
import type { KeyTotals } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { problem } from '../../problems.js';
import { usd } from '../../usd.js';
import { allPages } from '../all-pages.js';
import { makesOrganization, newOrganizationText } from '../new-organization.js';
import { CREATE, id } from '../option-values.js';
import { concurrencyText, domainsText, isoTime, isoTimeOrNull, keyState, limitText, rateText } from '../present.js';
import type { AdminSession, Report, Runner } from '../runner.js';
import { type Column, fieldList, table } from '../table.js';
import { addSettings, fieldsOf, KEY_SETTINGS } from './account-settings.js';
import { changedText } from './organization-commands.js';

type Options = Readonly<Record<string, unknown>>;
type CreateOptions = Options & { readonly org: string; readonly create?: boolean };
type KeyAccount = ApiKeyView & KeyTotals;

export function addKeyCommands(program: Command, { report }: Runner): void {
  const keys = program.command('keys').description('create, list, show, update and revoke API keys');
  const one = (name: string, description: string) =>
    keys.command(name).description(description).argument('<id>', 'the public id, sg_…', id);

  const create = keys.command('create').description('make a key and print its secret, which is shown only then');
  addSettings(create.requiredOption('--org <id>', 'the organization that pays', id), KEY_SETTINGS, ['label', 'limit'])
    .option(...CREATE)
    .action(({ org, create: makes, ...options }: CreateOptions) =>
      report(async (session) => {
        const isNew = await makesOrganization(session, org, makes);
        const fields = { ...fieldsOf<NewApiKey>(KEY_SETTINGS, options), organizationId: org };
        return createKey(session, fields, isNew);
      }),
    );
  keys
    .command('list')
    .description('keys with what they spent')
    .option('--org <id>', 'those of one organization', id)
    .action(({ org }: { org?: string }) => report((session) => list(session, org)));
  one('show', 'everything about one key').action((keyId: string) => report((session) => show(session, keyId, '')));
  addSettings(one('update', 'change what is given and leave the rest'), KEY_SETTINGS).action(
    (keyId: string, options: Options) =>
      report(async (session) => {
        const change = fieldsOf<ApiKeyUpdate>(KEY_SETTINGS, options);
        await checkReset(session, keyId, change);
        await session.administration.apiKeys.update(keyId, change);
        return show(session, keyId, changedText(change));
      }),
  );
  one('revoke', 'refuse a key forever').action((keyId: string) =>
    report(async (session) => {
      await session.administration.apiKeys.revoke(keyId);
      return show(session, keyId, 'is revoked, in every process within seconds.');
    }),
  );
}

const COLUMNS: readonly Column<KeyAccount>[] = [
  { title: 'id', of: (key) => key.id },
  { title: 'organization', of: ({ organizationId }) => organizationId },
  { title: 'label', of: ({ label }) => label },
  { title: 'state', of: (key) => keyState(key, Date.now()) },
  { title: 'limit', align: 'right', of: limitText },
  { title: 'of it used', align: 'right', of: ({ windowUsage }) => usd(windowUsage) },
  { title: 'used in all', align: 'right', of: ({ usage }) => usd(usage) },
  { title: 'rate', align: 'right', of: rateText },
  { title: 'at once', align: 'right', of: concurrencyText },
  { title: 'budgets', of: ({ budgets = [] }) => budgets.join(', ') || 'none' },
  { title: 'expires', of: ({ expiresAtMs }) => isoTimeOrNull(expiresAtMs) ?? 'never' },
];

const MORE_FIELDS: readonly Column<KeyAccount>[] = [
  { title: 'held', of: ({ held }) => usd(held) },
  { title: 'models', of: ({ allowedModels }) => allowedModels?.join(', ') ?? 'all' },
  { title: 'domains', of: domainsText },
  { title: 'created', of: ({ createdAtMs }) => isoTime(createdAtMs) },
];

async function createKey({ administration, ledger }: AdminSession, fields: NewApiKey, isNew: boolean): Promise<Report> {
  const { secret, key } = await administration.apiKeys.create(fields);
  const account = { ...key, ...(await ledger.keyTotals(key.id, key.limitReset)) };
  const lines = [
    `Key ${key.id} is there. This is its secret, which is shown only now:\n\n  ${secret}\n`,
    fieldList([...COLUMNS, ...MORE_FIELDS], account),
    ...(isNew ? ['', newOrganizationText(fields.organizationId)] : []),
  ];
  return { text: lines.join('\n'), json: { secret, key: jsonOf(account), organizationIsNew: isNew } };
}

async function list({ administration, ledger }: AdminSession, organizationId: string | undefined): Promise<Report> {
  const rows: KeyAccount[] = [];
  for await (const { items } of allPages((query) => administration.apiKeys.list({ organizationId, ...query }))) {
    const accounts = items.map(async (key) => ({ ...key, ...(await ledger.keyTotals(key.id, key.limitReset)) }));
    rows.push(...(await Promise.all(accounts)));
  }
  return { text: rows.length === 0 ? 'There is no key yet.' : table(COLUMNS, rows), json: rows.map(jsonOf) };
}

async function show({ administration, ledger }: AdminSession, keyId: string, heading: string): Promise<Report> {
  const key = await administration.apiKeys.get(keyId);
  if (key === undefined) throw new AdministrationError('unknown_key', 'there is no API key of this id');
  const account = { ...key, ...(await ledger.keyTotals(keyId, key.limitReset)) };
  const text = `${`Key ${keyId} ${heading}`.trimEnd()}\n${fieldList([...COLUMNS, ...MORE_FIELDS], account)}`;
  return { text, json: jsonOf(account) };
}

/** Removing a limit that resets needs both options: the message names them as typed on the command line. */
async function checkReset({ administration }: AdminSession, keyId: string, change: ApiKeyUpdate): Promise<void> {
  if (change.limit !== null || change.limitReset !== undefined) return;
  const reset = (await administration.apiKeys.get(keyId))?.limitReset ?? null;
  if (reset !== null) throw problem('--limit', `none, for a key whose limit is ${reset}`, '--reset never as well');
}

function jsonOf(account: KeyAccount): object {
  const { createdAtMs, expiresAtMs, revokedAtMs, resetsAtMs: _, limit, usage, held, windowUsage, ...others } = account;
  return {
    ...others,
    limit: limit === null ? null : formatUsd(limit),
    createdAt: isoTime(createdAtMs),
    expiresAt: isoTimeOrNull(expiresAtMs),
    revokedAt: isoTimeOrNull(revokedAtMs),
    usage: formatUsd(usage),
    held: formatUsd(held),
    windowUsage: formatUsd(windowUsage),
  };
}
