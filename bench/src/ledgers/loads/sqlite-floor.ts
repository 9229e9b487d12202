import { sqliteLedger } from '@searchgate/ledger-sqlite';
import Database from 'libsql';
import { announceReady, serveCommands } from '../../processes/commands.js';
import { recordSqlite, replayOf, type Turn } from '../floors/sqlite-recording.js';
import { grantAll, hold, holdId, organizationName, settle } from '../hold-and-settle.js';
import { MANY_ORGANIZATIONS, type PairSample } from '../ledger-case.js';
import { sampleOf } from '../run-callers.js';

/**
 * What SQLite itself can do, in the file named by the first argument: the statements that the ledger executes for a transaction of one verb, or of as many
 * as share one, are written down once and then executed again and again with nothing between them and the driver.
 */
export interface SharedCommand {
  readonly organizations: number;
  /** How many verbs share a transaction. */
  readonly shared: number;
  readonly durationMs: number;
}

const database = new Database(process.argv[2] ?? '');
const recorded = recordSqlite(database);
const ledger = sqliteLedger({ database: recorded });
let holds = 0;

type Replay = (turn: Turn) => void;
const replays = new Map<string, Replay>();

/** All holds of a transaction, then all their settles in the next. */
async function record({ organizations, shared }: SharedCommand): Promise<Replay> {
  const indexes = Array.from({ length: shared }, (_, index) => index);
  // Names are replaced by what they count, so each recording begins at 0; the holds of the one before are in its way.
  database.exec('DELETE FROM searchgate_holds');
  recorded.take();
  await Promise.all(indexes.map((index) => hold(ledger, holdId(index), organizationName(index % organizations))));
  await Promise.all(indexes.map((index) => settle(ledger, holdId(index))));
  const sent = recorded.take();
  const commits = sent.filter(({ sql }) => sql === 'COMMIT').length;
  if (commits !== 2) throw new Error(`${shared} holds and ${shared} settles took ${commits} transactions, not 2`);
  holds += shared;
  return replayOf(database, sent);
}

async function replayFor(command: SharedCommand): Promise<Replay> {
  const name = `${command.organizations} ${command.shared}`;
  const replay = replays.get(name) ?? (await record(command));
  replays.set(name, replay);
  return replay;
}

serveCommands({
  async prepare() {
    await ledger.migrate();
    await grantAll(ledger, MANY_ORGANIZATIONS);
  },
  async pairs(argument): Promise<PairSample> {
    const command = argument as SharedCommand;
    const { organizations, shared, durationMs } = command;
    const replay = await replayFor(command);
    const latenciesMs: number[] = [];
    const startedMs = performance.now();
    const endMs = startedMs + durationMs;
    for (let beganMs = startedMs; beganMs < endMs; ) {
      replay({ firstHold: holds, firstOrganization: holds % organizations, organizations });
      holds += shared;
      const endedMs = performance.now();
      for (let verb = 0; verb < shared; verb += 1) latenciesMs.push(endedMs - beganMs);
      beganMs = endedMs;
    }
    return sampleOf(latenciesMs, performance.now() - startedMs);
  },
  /** @throws Error when the engine has not kept everything. */
  verify() {
    const { charges } = database
      .prepare("SELECT count(*) AS charges FROM searchgate_entries WHERE kind = 'charge'")
      .get() as { charges: number };
    if (charges !== holds) throw new Error(`${holds} pairs were committed, but ${charges} charges are there`);
  },
});
announceReady();
