import { Redis } from 'ioredis';
import { Client } from 'pg';
import { announceReady, serveCommands } from '../../processes/commands.js';
import { holdId, organizationName, type PairNames, withNames } from '../hold-and-settle.js';
import type { LedgerCase, PairSample } from '../ledger-case.js';
import { runCallers } from '../run-callers.js';

/**
 * What an engine can do through its driver: sends what the ledger sent for one verb, again and again, each caller on a connection of its own. For machines
 * without the engine's own tool.
 */
export interface DriverFloorSettings {
  readonly url: string;
  /** Of one pair. */
  readonly statements: readonly SentVerb[];
}

/** `words` are a command of Redis. */
export type SentVerb =
  | { readonly text: string; readonly name?: string; readonly values?: readonly unknown[] }
  | { readonly words: readonly string[] };

/** Sends a verb under other names and waits for the answer. */
type Send = (verb: SentVerb, names: PairNames) => Promise<unknown>;

const { url, statements } = JSON.parse(process.argv[2] ?? '') as DriverFloorSettings;
/** Behind those of the recording. */
let next = 2;
const connections: Send[] = [];

async function connect(): Promise<Send> {
  if (url.startsWith('redis')) {
    const client = new Redis(url);
    return (verb, names) => {
      const [command = '', ...words] = 'words' in verb ? verb.words : [];
      return client.call(command, ...words.map((word) => withNames(word, names)));
    };
  }
  const client = new Client({ connectionString: url }).on('error', () => {});
  await client.connect();
  return async (verb, names) => {
    if (!('text' in verb)) return;
    const values = verb.values?.map((value) => (typeof value === 'string' ? withNames(value, names) : value));
    await client.query({ ...verb, values: values ?? [] });
  };
}

serveCommands({
  async pairs(command): Promise<PairSample> {
    const { organizations, callers, durationMs } = command as LedgerCase & { readonly durationMs: number };
    while (connections.length < callers) connections.push(await connect());
    return runCallers({ callers, durationMs }, async (caller) => {
      const index = next++;
      const names = { holdId: holdId(index), organizationId: organizationName(index % organizations) };
      const send = connections[caller] as Send;
      for (const verb of statements) await send(verb, names);
    });
  },
});
announceReady();
