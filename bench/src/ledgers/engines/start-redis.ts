import { type RedisDurability, startRedis as startServer } from '@searchgate-internal/test-servers';
import { redisBenchmark } from '../floors/redis-benchmark.js';
import { RECORDED_PAIRS, type RedisRecording, recordRedis } from '../floors/redis-recording.js';
import { BUSY } from '../ledger-case.js';
import { counting } from './counting.js';
import { startDriverFloor } from './driver-floor.js';
import type { Contender, Engine, EngineContext, StartEngine } from './engine.js';
import { findProgram } from './find-program.js';
import { startLedger } from './ledger-child.js';

/** A server of its own; the ledger and the floor each have a prefix in it. */
export function startRedis(appendfsync: RedisDurability): StartEngine {
  return async (context) => {
    const { endings } = context;
    const server = await startServer({ appendfsync, ownServer: true });
    if ('reason' in server) throw new Error(server.reason);
    endings.add(() => server.stop());
    const recording = await recordRedis(server.url);
    endings.add(() => recording.close());
    // A rewrite of the log would fall on some samples and not on others.
    await recording.client.config('SET', 'auto-aof-rewrite-percentage', '0');
    const { contender, ...ledger } = await startLedger(server.url, endings);
    const { floor, note, verify } = await startFloor(context, server.url, recording);
    return {
      ...ledger,
      contenders: [contender, floor],
      notes: note === undefined ? [] : [note],
      references: {
        engineRate: { contender: floor.name, ...BUSY },
        // It runs one script after the other anyway, and shares its flushes by itself.
        singleRow: null,
      },
      async verify() {
        await ledger.verify();
        await verify();
      },
    };
  };
}

interface Floor extends Pick<Engine, 'verify'> {
  readonly floor: Contender;
  readonly note?: string;
}

async function startFloor(
  { endings, driverFloors }: EngineContext,
  url: string,
  recording: RedisRecording,
): Promise<Floor> {
  const program = findProgram('redis-benchmark');
  if (program !== undefined && !driverFloors) {
    const { measure, verify } = redisBenchmark(program, url, recording);
    return { floor: { name: 'redis-benchmark', takes: () => true, pairs: measure }, verify };
  }
  const why = driverFloors ? 'was not wanted' : 'is not on this machine';
  const statements = [recording.hold, recording.settle].map((words) => ({ words }));
  const floor = counting(await startDriverFloor('ioredis', { url, statements }, endings));
  return {
    floor,
    note: `redis-benchmark ${why}: the floor is the same commands through \`ioredis\`.`,
    async verify() {
      const { charges } = await recording.count();
      const pairs = floor.pairsDone() + RECORDED_PAIRS;
      if (charges !== pairs) throw new Error(`the floor did ${pairs} pairs, but ${charges} are charged`);
    },
  };
}
