import path from 'node:path';
import type { Child } from '../../processes/child.js';
import { BUSY, MANY_CALLERS } from '../ledger-case.js';
import type { SharedCommand } from '../loads/sqlite-floor.js';
import type { Contender, StartEngine } from './engine.js';
import { startLedger, startLoad } from './ledger-child.js';

const ALONE = 'libsql, a transaction per verb';
const SHARED = `libsql, ${MANY_CALLERS} verbs in a transaction`;

export const startSqlite: StartEngine = async ({ endings, scratch }) => {
  const { contender, ...ledger } = await startLedger(`sqlite:${path.join(scratch, 'ledger.db')}`, endings);
  const floor = await startLoad('sqlite-floor', path.join(scratch, 'floor.db'), endings);
  await floor.ask('prepare');
  return {
    ...ledger,
    contenders: [contender, floorOf(floor, ALONE, 1), floorOf(floor, SHARED, MANY_CALLERS)],
    notes: [],
    references: {
      engineRate: { contender: SHARED, ...BUSY },
      // The engine is inside the process, so its callers are one after the other however many they are.
      singleRow: { contender: ALONE, organizations: 1, callers: 1 },
    },
    async verify() {
      await ledger.verify();
      await floor.ask('verify');
    },
  };
};

function floorOf(child: Child, name: string, shared: number): Contender {
  return {
    name,
    takes: ({ callers }) => callers === shared,
    pairs: ({ organizations, durationMs }) =>
      child.ask('pairs', { organizations, shared, durationMs } satisfies SharedCommand),
  };
}
