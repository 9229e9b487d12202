import type { TenantKeyAdministration, TenantKeyView } from '@searchgate/core/administration';
import type { Command } from 'commander';
import { KEEPS_TENANT_KEYS, TENANT_KEYS_SECRET } from '../../environment.js';
import { problem } from '../../problems.js';
import { readSecret } from '../../read-secret.js';
import { id } from '../option-values.js';
import { isoTime } from '../present.js';
import type { AdminContext, AdminSession, Runner } from '../runner.js';
import { type Column, table } from '../table.js';

interface Ids {
  readonly org: string;
  readonly provider: string;
}

/** Vendor keys: a key goes in by standard input, and never comes out. */
export function addTenantKeyCommands(program: Command, { report }: Runner, stdin: AdminContext['stdin']): void {
  const keys = program.command('tenant-keys').description('set, list and delete keys of organizations at vendors');
  const ofOrganization = (name: string, description: string) =>
    keys.command(name).description(description).requiredOption('--org <id>', 'the organization', id);
  const ofProvider = (name: string, description: string) =>
    ofOrganization(name, description).requiredOption('--provider <id>', 'the vendor, such as exa', id);

  ofProvider('set', 'set or replace a key, which is read from standard input')
    // Commander would print what it refuses.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async ({ org, provider }: Ids, command: Command) => {
      if (command.args.length > 0)
        command.error('error: the key is read from standard input: others can read a command line.');
      const apiKey = await readSecret(stdin);
      await report(async (session) => {
        const json = jsonOf(await tenantKeysOf(session).set(org, provider, apiKey));
        return { text: `The key of ${org} at ${provider} is set, in every process within a minute.`, json };
      });
    });
  ofOrganization('list', 'its keys, each by its last characters').action(({ org }: Ids) =>
    report(async (session) => {
      const rows = await tenantKeysOf(session).list(org);
      return { text: rows.length === 0 ? 'There is no key yet.' : table(COLUMNS, rows), json: rows.map(jsonOf) };
    }),
  );
  ofProvider('delete', 'delete a key; calls go on by the account of the operator').action(({ org, provider }: Ids) =>
    report(async (session) => {
      const deleted = await tenantKeysOf(session).delete(org, provider);
      const text = deleted ? 'is deleted, in every process within a minute' : 'is not there';
      return { text: `The key of ${org} at ${provider} ${text}.`, json: { deleted }, isBad: !deleted };
    }),
  );
  keys
    .command('reseal')
    .description(`seal all keys by the first secret of ${TENANT_KEYS_SECRET}, so that the second can go`)
    .action(() =>
      report(async (session) => {
        const { resealed, unreadable } = await tenantKeysOf(session).reseal();
        const lines = unreadable.map((key) => `The key of ${key.organizationId} at ${key.providerId} does not open.`);
        const text = [`Sealed again: ${resealed}.`, ...lines].join('\n');
        return { text, json: { resealed, unreadable }, isBad: unreadable.length > 0 };
      }),
    );
}

const COLUMNS: readonly Column<TenantKeyView>[] = [
  { title: 'provider', of: ({ providerId }) => providerId },
  { title: 'ends in', of: ({ lastCharacters }) => lastCharacters || '–' },
  { title: 'set', of: ({ createdAtMs }) => isoTime(createdAtMs) },
];

function jsonOf({ createdAtMs, ...key }: TenantKeyView): object {
  return { ...key, createdAt: isoTime(createdAtMs) };
}

/** @throws ConfigurationError for a ledger that keeps no vendor keys. */
function tenantKeysOf({ administration: { tenantKeys }, address }: AdminSession): TenantKeyAdministration {
  if (tenantKeys !== null) return tenantKeys;
  throw problem('SEARCHGATE_LEDGER', address.engine, KEEPS_TENANT_KEYS);
}
