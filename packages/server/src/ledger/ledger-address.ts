import { dirname } from 'node:path';
import { problem } from '../problems.js';

/** Where money and keys are kept, as `SEARCHGATE_LEDGER` says. */
export type LedgerAddress = { readonly engine: 'memory' } | DurableAddress;

/** A ledger that outlives the process. */
export type DurableAddress =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres' | 'redis'; readonly url: string };

/** Local files of a service: the default ledger and the demo key. Beneath the directory the service is started in. */
const DATA_FOLDER = 'data';
const DEFAULT_LEDGER = `sqlite:${DATA_FOLDER}/searchgate.db`;

const FORMS = 'memory, sqlite:<file>, postgres://… or redis://…';
const ENGINE_OF = { postgres: 'postgres', postgresql: 'postgres', redis: 'redis', rediss: 'redis' } as const;

/** Reads `SEARCHGATE_LEDGER`. @throws ConfigurationError that never shows the value, which may hold a password. */
export function parseLedgerAddress(text: string = DEFAULT_LEDGER): LedgerAddress {
  if (text === 'memory') return { engine: 'memory' };
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  if (scheme === 'sqlite') return sqliteAddress(rest);
  const engine = Object.hasOwn(ENGINE_OF, scheme) ? ENGINE_OF[scheme as keyof typeof ENGINE_OF] : undefined;
  if (engine === undefined)
    throw problem('SEARCHGATE_LEDGER', scheme === '' ? 'a value of another form' : `${scheme}:…`, FORMS);
  if (!rest.startsWith('//') || !URL.canParse(text))
    throw problem('SEARCHGATE_LEDGER', `a ${scheme}: address that cannot be read`, `${scheme}://user:password@host/…`);
  return { engine, url: text };
}

function sqliteAddress(file: string): DurableAddress {
  // Some tools read sqlite:///x as a relative path, others as an absolute one. It must be clear where the money is.
  if (file === '' || file.startsWith('//') || file.startsWith(':'))
    throw problem('SEARCHGATE_LEDGER', `sqlite:${file}`, 'sqlite: and a path, such as sqlite:data/searchgate.db');
  return { engine: 'sqlite', file };
}

/** How an address may be printed: a file as it was given, a server without user, password and parameters. */
export function describeAddress(address: LedgerAddress): string {
  if (address.engine === 'memory') return 'memory';
  if (address.engine === 'sqlite') return address.file;
  const { protocol, host, pathname } = new URL(address.url);
  return `${protocol}//${host}${pathname}`;
}

/** The folder for what belongs to a service beside its money: that of the SQLite file, else {@link DATA_FOLDER}. */
export function dataFolderOf(address: DurableAddress): string {
  return address.engine === 'sqlite' ? dirname(address.file) : DATA_FOLDER;
}
