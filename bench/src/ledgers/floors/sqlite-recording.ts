import type { SqliteDatabase, SqliteStatement } from '@searchgate/ledger-sqlite';
import type Database from 'libsql';
import { holdId, organizationName } from '../hold-and-settle.js';

type Method = 'run' | 'get' | 'all';

/** A statement as a ledger had it executed: prepared, or once as it stands. */
export interface SentStatement {
  readonly sql: string;
  readonly method: Method | 'exec';
  readonly parameters: readonly unknown[];
}

/** The handle of a ledger whose statements are written down. */
export interface RecordedDatabase extends SqliteDatabase {
  /** What was executed since it was last asked. */
  take(): SentStatement[];
}

type Handle = InstanceType<typeof Database>;
type Execute = (...parameters: readonly unknown[]) => unknown;

export function recordSqlite(database: Handle): RecordedDatabase {
  let sent: SentStatement[] = [];

  function record(sql: string, statement: ReturnType<Handle['prepare']>): SqliteStatement {
    const recorded = (method: Method) => {
      const execute = statement[method].bind(statement) as Execute;
      return (...parameters: unknown[]) => {
        sent.push({ sql, method, parameters });
        return execute(...parameters);
      };
    };
    return {
      run: recorded('run'),
      get: recorded('get'),
      all: recorded('all') as (...parameters: unknown[]) => unknown[],
      safeIntegers: (toggle) => statement.safeIntegers(toggle),
    };
  }

  return {
    exec(sql) {
      sent.push({ sql, method: 'exec', parameters: [] });
      return database.exec(sql);
    },
    prepare: (sql) => record(sql, database.prepare(sql)),
    take() {
      const taken = sent;
      sent = [];
      return taken;
    },
  };
}

/** Which names take the place of the recorded ones, which count from 0. */
export interface Turn {
  readonly firstHold: number;
  readonly firstOrganization: number;
  readonly organizations: number;
}

/** Executes statements again, straight on the engine, under other names. */
export function replayOf(database: Handle, sent: readonly SentStatement[]): (turn: Turn) => void {
  const prepared = new Map<string, ReturnType<Handle['prepare']>>();

  function executeOf({ sql, method }: SentStatement): Execute {
    if (method === 'exec') return () => database.exec(sql);
    const statement = prepared.get(sql) ?? database.prepare(sql).safeIntegers(true);
    prepared.set(sql, statement);
    return (...parameters) => statement[method](...parameters);
  }

  const steps = sent.map((each) => ({ execute: executeOf(each), slots: each.parameters.map(slotOf) }));
  return (turn) => {
    for (const { execute, slots } of steps) execute(...slots.map((slot) => slot(turn)));
  };
}

type Slot = (turn: Turn) => unknown;

function slotOf(parameter: unknown): Slot {
  if (typeof parameter !== 'string') return () => parameter;
  const [, hold] = /^ans_(\d+)$/.exec(parameter) ?? [];
  if (hold !== undefined) return ({ firstHold }) => holdId(firstHold + Number(hold));
  const [, prefix = '', organization] = /^(.*)organization-(\d+)$/.exec(parameter) ?? [];
  if (organization === undefined) return () => parameter;
  return ({ firstOrganization, organizations }) =>
    prefix + organizationName((firstOrganization + Number(organization)) % organizations);
}
