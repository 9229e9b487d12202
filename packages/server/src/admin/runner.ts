import { existsSync } from 'node:fs';
import { type Administration, createAdministration } from '@searchgate/core/administration';
import type { DurableLedger } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { type Environment, readLedgerAddress } from '../environment.js';
import type { DurableAddress } from '../ledger/ledger-address.js';
import { openDurableLedger } from '../ledger/open-ledger.js';
import { problem } from '../problems.js';

/** What a command gets from its process. */
export interface AdminContext {
  /** How the operator calls it, such as `searchgate admin`. */
  readonly command: string;
  readonly environment: Environment;
  /** Resolves when more may be written. */
  out(text: string): Promise<void>;
  err(text: string): void;
}

/** What a command works with. */
export interface AdminSession {
  readonly administration: Administration;
  readonly ledger: DurableLedger;
  readonly address: DurableAddress;
}

/** What a command found out or did, for people and for scripts. */
export interface Report {
  readonly text: string;
  /** Plain JSON: amounts are decimal strings of US dollars, times ISO date-times. */
  readonly json: unknown;
  /** The command worked, and what it found is bad. Default false. */
  readonly isBad?: boolean;
}

interface SessionOptions {
  /** Whether a SQLite file that is missing is made. Default `false`: a mistyped name would look like a ledger without any money. */
  readonly createsFile?: boolean;
}

/** How commands run what they do on the ledger. */
export interface Runner {
  /** Runs a task and prints what it reports, for people or with `--json` for scripts. */
  report(task: (session: AdminSession) => Promise<Report>, options?: SessionOptions): Promise<void>;
  /** Runs a task that prints by itself, page by page. */
  stream(task: (session: AdminSession, out: AdminContext['out']) => Promise<void>): Promise<void>;
  readonly isJson: () => boolean;
}

/** @param onFailure called when a command worked and what it found is bad. */
export function createRunner(program: Command, context: AdminContext, onFailure: () => void): Runner {
  const isJson = () => program.opts<{ json?: boolean }>().json === true;
  return {
    isJson,
    async report(task, options) {
      const { text, json, isBad = false } = await withSession(context, task, options);
      if (isBad) onFailure();
      await context.out(`${isJson() ? JSON.stringify(json, null, 2) : text}\n`);
    },
    stream: (task) => withSession(context, (session) => task(session, context.out)),
  };
}

/** The message for a ledger that has never been used. */
export function howToMakeOne({ command }: Pick<AdminContext, 'command'>): string {
  return `the service makes it when it starts, and so does: ${command} ledger migrate`;
}

/** Opens the ledger for as long as `use` runs. */
async function withSession<T>(
  context: AdminContext,
  use: (session: AdminSession) => Promise<T>,
  { createsFile = false }: SessionOptions = {},
): Promise<T> {
  const address = durableAddress(context.environment);
  if (address.engine === 'sqlite' && !createsFile && !existsSync(address.file))
    throw problem('SEARCHGATE_LEDGER', `no file ${address.file}`, `the ledger of a service; ${howToMakeOne(context)}`);
  const { ledger, apiKeys, close } = await openDurableLedger(address, { warn: ignored, error: ignored });
  try {
    return await use({ administration: createAdministration({ ledger, apiKeys }), ledger, address });
  } finally {
    await close();
  }
}

/** Where the ledger of the service is. @throws ConfigurationError also for one in memory, which no other process can see. */
function durableAddress(environment: Environment): DurableAddress {
  const address = readLedgerAddress(environment);
  if (address.engine !== 'memory') return address;
  const wanted = 'a ledger on disk or on a server; there is nothing to administer here';
  throw problem('SEARCHGATE_LEDGER', 'memory, which the service keeps to itself', wanted);
}

/** A connection that breaks makes the running operation fail, which is reported. */
function ignored(): void {}
