import { type SqliteDatabase, sqliteLedger } from '@searchgate/ledger-sqlite';
import Database from 'libsql';
import {
  BUSY,
  type Floor,
  grantAll,
  hold,
  holdAndSettle,
  holdId,
  MANY,
  organizationName,
  sampleOf,
  settle,
} from '../pairs.js';

export const LIBSQL_ALONE = 'libsql, a transaction per call';
export const LIBSQL_SHARED = `libsql, ${BUSY.callers} calls in a transaction`;

const CHARGES = "SELECT count(*) AS charges FROM searchgate_entries WHERE kind = 'charge'";
type Execute = (...parameters: unknown[]) => unknown;
interface Sent {
  readonly sql: string;
  readonly execute: Execute;
  readonly parameters: readonly unknown[];
}
/** Executes again what was recorded, for holds from a number on. */
type Replay = (firstHold: number, organizations: number) => void;

/** The statements of transactions of one call each, or of as many as share one, are recorded once and then executed again by the driver alone. */
export async function libsqlFloor(file: string): Promise<Floor> {
  const database = new Database(file);
  let sent: Sent[] = [];
  const ledger = sqliteLedger({ database: recording(database, (each) => sent.push(each)) });
  await ledger.migrate();
  await grantAll(ledger);
  // The first charge of a key and model on a day inserts rows of its own. Recorded, it could be executed once only.
  await Promise.all(Array.from({ length: MANY }, (_, index) => holdAndSettle(ledger, index, MANY)));
  const replays = new Map<string, Replay>();
  let done = MANY;

  /** All holds of a transaction, then all their settles in the next. */
  async function record(shared: number, organizations: number): Promise<Replay> {
    const indexes = Array.from({ length: shared }, (_, index) => index);
    // Each recording begins at 0; the holds of the one before would be in its way.
    database.exec('DELETE FROM searchgate_holds');
    sent = [];
    await Promise.all(indexes.map((index) => hold(ledger, index, organizations)));
    await Promise.all(indexes.map((index) => settle(ledger, index)));
    const commits = sent.filter(({ sql }) => sql === 'COMMIT').length;
    if (commits !== 2) throw new Error(`${shared} pairs took ${commits} transactions, not 2`);
    done += shared;
    const steps = sent.map(({ execute, parameters }) => ({ execute, slots: parameters.map(slotOf) }));
    return (...turn) => {
      for (const { execute, slots } of steps) execute(...slots.map((slot) => slot(...turn)));
    };
  }

  return {
    nameFor: ({ callers }) => (callers === 1 ? LIBSQL_ALONE : LIBSQL_SHARED),
    async pairs({ organizations, callers, durationMs }) {
      const name = `${organizations} ${callers}`;
      const replay = replays.get(name) ?? (await record(callers, organizations));
      replays.set(name, replay);
      const latenciesMs: number[] = [];
      const startedMs = performance.now();
      for (let beganMs = startedMs; beganMs < startedMs + durationMs; ) {
        replay(done, organizations);
        done += callers;
        const endedMs = performance.now();
        for (let call = 0; call < callers; call += 1) latenciesMs.push(endedMs - beganMs);
        beganMs = endedMs;
      }
      return sampleOf(latenciesMs, performance.now() - startedMs);
    },
    // The counters that were written again say nothing; the entries do.
    async verify() {
      const { charges } = database.prepare(CHARGES).get() as { charges: number };
      if (charges !== done) throw new Error(`${done} pairs were committed, but ${charges} charges are there`);
    },
    stop: () => ledger.close(),
  };
}

function recording(database: InstanceType<typeof Database>, record: (sent: Sent) => void): SqliteDatabase {
  const recorded = (sql: string, execute: Execute) => {
    return (...parameters: unknown[]) => {
      record({ sql, execute, parameters });
      return execute(...parameters);
    };
  };
  return {
    exec: (sql) => recorded(sql, () => database.exec(sql))(),
    prepare(sql) {
      const statement = database.prepare(sql);
      const method = (name: 'run' | 'get' | 'all') => recorded(sql, (...parameters) => statement[name](...parameters));
      const safeIntegers = (toggle?: boolean) => statement.safeIntegers(toggle);
      return { run: method('run'), get: method('get'), all: method('all') as () => unknown[], safeIntegers };
    },
  };
}

/** What to put in the place of a recorded parameter, whose numbers count from 0. */
function slotOf(parameter: unknown): (...turn: Parameters<Replay>) => unknown {
  if (typeof parameter !== 'string') return () => parameter;
  const [, held] = /^ans_(\d+)$/.exec(parameter) ?? [];
  if (held !== undefined) return (first) => holdId(first + Number(held));
  const [, prefix = '', organization] = /^(.*)organization-(\d+)$/.exec(parameter) ?? [];
  if (organization === undefined) return () => parameter;
  return (first, organizations) => prefix + organizationName((first + Number(organization)) % organizations);
}
