import { startPostgres as startServer } from '@searchgate-internal/test-servers';
import { runPgbench } from '../floors/pgbench.js';
import { type PostgresRecording, recordPostgres } from '../floors/postgres-recording.js';
import { chargedPairs } from '../hold-and-settle.js';
import { BUSY, HOT, MANY_ORGANIZATIONS } from '../ledger-case.js';
import { counting } from './counting.js';
import { startDriverFloor } from './driver-floor.js';
import type { Contender, EngineContext, StartEngine } from './engine.js';
import { findProgram } from './find-program.js';
import { startLedger } from './ledger-child.js';

/** A cluster of its own; the ledger and the floor each have a database in it. */
export const startPostgres: StartEngine = async (context) => {
  const { endings } = context;
  const server = await startServer({ durable: true, ownServer: true });
  endings.add(() => server.stop());
  const { contender, ...ledger } = await startLedger(await server.createDatabase(), endings);
  const url = await server.createDatabase();
  const recording = await recordPostgres(url);
  endings.add(() => recording.close());
  const { floor, note } = await startFloor(context, url, recording);
  const counted = counting(floor);
  return {
    ...ledger,
    contenders: [contender, counted],
    notes: note === undefined ? [] : [note],
    references: {
      engineRate: { contender: floor.name, ...BUSY },
      singleRow: { contender: floor.name, ...HOT },
    },
    async verify() {
      await ledger.verify();
      await verifyFloor(recording, counted.pairsDone());
    },
  };
};

async function startFloor(
  { endings, scratch, driverFloors }: EngineContext,
  url: string,
  { statements }: PostgresRecording,
): Promise<{ floor: Contender; note?: string }> {
  const program = findProgram('pgbench');
  if (program !== undefined && !driverFloors) {
    const settings = { program, url, scratch };
    return { floor: { name: 'pgbench', takes: () => true, pairs: (load) => runPgbench(settings, statements, load) } };
  }
  const why = driverFloors ? 'was not wanted' : 'is not on this machine';
  const floor = await startDriverFloor('pg', { url, statements }, endings);
  return { floor, note: `pgbench ${why}: the floor is the same statements through \`pg\`.` };
}

async function verifyFloor({ ledger }: PostgresRecording, done: number): Promise<void> {
  // The recording was a pair too.
  const charged = (await chargedPairs(ledger, MANY_ORGANIZATIONS)) - 1;
  if (charged !== done) throw new Error(`the floor did ${done} pairs, but ${charged} are charged`);
}
