import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Administration, createAdministration, encryptedTenantKeys } from '@searchgate/core/administration';
import type { DurableLedger } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { type Environment, readLedgerAddress, readTenantKeysSecrets } from '../environment.js';
import type { DurableAddress } from '../ledger/ledger-address.js';
import { openDurableLedger } from '../ledger/open-ledger.js';
import { problem } from '../problems.js';
import { tenantKeysOf } from '../tenant-key-vault.js';
import { knownModels } from './known-models.js';

/** The process of a command, as far as commands need it. */
export interface AdminContext {
  /** The command as the operator types it, such as `searchgate admin`. */
  readonly command: string;
  readonly environment: Environment;
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean | undefined };
  /** Resolves when the output accepts more. */
  out(text: string): Promise<void>;
  err(text: string): void;
}

/** The open ledger of a command. */
export interface AdminSession {
  readonly administration: Administration;
  readonly ledger: DurableLedger;
  readonly address: DurableAddress;
  readonly context: AdminContext;
}

/** The result of a command, for people and for scripts. */
export interface Report {
  readonly text: string;
  /** Plain JSON: amounts are decimal strings of US dollars, times ISO date-times. */
  readonly json: unknown;
  /** The command succeeded but found a problem. Default false. */
  readonly isBad?: boolean;
}

interface SessionOptions {
  /** Whether to create a missing SQLite file. @default `false`: a mistyped name would look like an empty ledger */
  readonly createsFile?: boolean;
}

/** Runs the work of commands on the ledger. */
export interface Runner {
  /** Runs a task and prints its report, for people or with `--json` for scripts. */
  report(task: (session: AdminSession) => Promise<Report>, options?: SessionOptions): Promise<void>;
  /** Prints a report, for people or with `--json` for scripts. */
  print(report: Report): Promise<void>;
  /** Runs a task that prints its own output, page by page. */
  stream(task: (session: AdminSession, out: AdminContext['out']) => Promise<void>): Promise<void>;
  readonly isJson: () => boolean;
}

/** @param onFailure called when a command succeeded but found a problem. */
export function createRunner(program: Command, context: AdminContext, onFailure: () => void): Runner {
  const isJson = () => program.opts<{ json?: boolean }>().json === true;
  async function print({ text, json, isBad = false }: Report): Promise<void> {
    if (isBad) onFailure();
    await context.out(`${isJson() ? JSON.stringify(json, null, 2) : text}\n`);
  }
  return {
    isJson,
    print,
    report: async (task, options) => print(await withSession(context, task, options)),
    stream: (task) => withSession(context, (session) => task(session, context.out)),
  };
}

/** The hint for a ledger that does not exist yet. */
export function howToMakeOne({ command }: Pick<AdminContext, 'command'>): string {
  return `the service makes it when it starts, and so does: ${command} ledger migrate`;
}

/** Opens the ledger while `use` runs. */
async function withSession<T>(
  context: AdminContext,
  use: (session: AdminSession) => Promise<T>,
  { createsFile = false }: SessionOptions = {},
): Promise<T> {
  const address = durableAddress(context.environment);
  if (address.engine === 'sqlite' && !createsFile && !existsSync(address.file))
    throw problem('SEARCHGATE_LEDGER', `no file ${address.file}`, `the ledger of a service; ${howToMakeOne(context)}`);
  const secrets = readTenantKeysSecrets(context.environment);
  const { ledger, apiKeys, close } = await openDurableLedger(address, { warn: ignored, error: ignored });
  try {
    const gateway = { invalidateKey: ignored, models: () => knownModels(context.environment) };
    const { tenantKeys: store } = ledger;
    const logs = { requestLog: ledger.requests, auditLog: ledger.changes };
    const administration = createAdministration({
      ledger,
      apiKeys,
      gateway,
      ...logs,
      tenantKeys: tenantKeysOf(store && encryptedTenantKeys({ store, secrets })),
      actor: `cli:${userInfo().username}`,
    });
    return await use({ administration, ledger, address, context });
  } finally {
    await close();
  }
}

/** The address of the service's ledger. @throws ConfigurationError also for a ledger in memory, which other processes cannot see. */
function durableAddress(environment: Environment): DurableAddress {
  const address = readLedgerAddress(environment);
  if (address.engine !== 'memory') return address;
  const wanted = 'a ledger on disk or on a server; there is nothing to administer here';
  throw problem('SEARCHGATE_LEDGER', 'memory, which only the service can read', wanted);
}

/** Ignores a broken connection here: the running operation fails and is reported. */
function ignored(): void {}
