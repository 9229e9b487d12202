import { dirname } from 'node:path';
import { problem } from '../problems.js';

/** The address of money and keys, from `SEARCHGATE_LEDGER`. */
export type LedgerAddress = { readonly engine: 'memory' } | DurableAddress;

/** A ledger whose data survives the process. */
export type DurableAddress =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres' | 'redis'; readonly url: string };

/** The folder of the default ledger and the demo key, inside the working directory. */
const DATA_FOLDER = 'data';
const DEFAULT_LEDGER = `sqlite:${DATA_FOLDER}/searchgate.db`;

const FORMS = 'memory, sqlite:<file>, postgres://… or redis://…';
const ENGINE_OF = { postgres: 'postgres', postgresql: 'postgres', redis: 'redis', rediss: 'redis' } as const;

/** Parses `SEARCHGATE_LEDGER`. @throws ConfigurationError without the value, which may contain a password. */
export function parseLedgerAddress(text: string = DEFAULT_LEDGER): LedgerAddress {
  if (text === 'memory') return { engine: 'memory' };
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  if (scheme === 'sqlite') return sqliteAddress(rest);
  const engine = Object.hasOwn(ENGINE_OF, scheme) ? ENGINE_OF[scheme as keyof typeof ENGINE_OF] : undefined;
  if (engine === undefined)
    throw problem('SEARCHGATE_LEDGER', scheme === '' ? 'a value of unknown form' : `${scheme}:…`, FORMS);
  // A password with a slash would be read, and printed, as host and path.
  if (!rest.startsWith('//') || !URL.canParse(text) || new URL(text).pathname.includes('@'))
    throw problem('SEARCHGATE_LEDGER', `a ${scheme}: address that cannot be read`, `${scheme}://user:password@host/…`);
  return { engine, url: text };
}

function sqliteAddress(file: string): DurableAddress {
  // Tools disagree whether sqlite:///x is relative or absolute. The place of the money must be clear.
  if (file === '' || file.startsWith('//') || file.startsWith(':'))
    throw problem('SEARCHGATE_LEDGER', `sqlite:${file}`, 'sqlite: and a path, such as sqlite:data/searchgate.db');
  return { engine: 'sqlite', file };
}

/** The printable address: a file as given, a server without user, password and parameters. */
export function describeAddress(address: LedgerAddress): string {
  if (address.engine === 'memory') return 'memory';
  if (address.engine === 'sqlite') return address.file;
  const { protocol, host, pathname } = new URL(address.url);
  return `${protocol}//${host}${pathname}`;
}

/** The folder of a service's other files: that of the SQLite file, else {@link DATA_FOLDER}. */
export function dataFolderOf(address: DurableAddress): string {
  return address.engine === 'sqlite' ? dirname(address.file) : DATA_FOLDER;
}
