import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { redisLedger } from '@searchgate/ledger-redis';
import { Redis } from 'ioredis';
import {
  countPairs,
  type Floor,
  grantAll,
  holdAndSettle,
  MANY,
  organizationName,
  type PairLoad,
  rename,
} from '../pairs.js';

/** `redis-benchmark` replaces it by twelve random digits below its `-r`, different ones each time. */
const RANDOM = '__rand_int__';
const MAX_RANDOM = 2_000_000_000;
const FIRST_GUESS_PER_SECOND = 4_000;
const MIN_PER_CALLER = 20;
/** The first sends the scripts themselves, the second their hashes, as all do from then on. */
const RECORDED_PAIRS = 2;

/**
 * redis-benchmark sends the ledger's script of a hold, under keys of its own. It can send one command only, and a settle needs a hold of its
 * own: a pair is taken to be two holds, although a settle writes more.
 */
export async function redisBenchmarkFloor(program: string, url: string): Promise<Floor> {
  const client = new Redis(url);
  // A rewrite of the log would be in some samples and not in others.
  await client.config('SET', 'auto-aof-rewrite-percentage', '0');
  const sent: string[][] = [];
  const call = (...command: [string, ...string[]]): Promise<unknown> => {
    sent.push(command);
    return client.call(...command);
  };
  const ledger = redisLedger({ client: { call }, prefix: 'floor' });
  const padded = (index: number) => `organization-${index.toString().padStart(RANDOM.length, '0')}`;
  const names = [organizationName(0), ...Array.from({ length: MANY }, (_, index) => padded(index))];
  await ledger.migrate();
  await grantAll(ledger, names);
  for (let pair = 0; pair < RECORDED_PAIRS; pair += 1) await holdAndSettle(ledger, pair, 1);
  const recorded = sent.at(-2) ?? [];
  const rates = new Map<string, number>();
  let holds = RECORDED_PAIRS;
  let runs = 0;
  return {
    nameFor: () => 'redis-benchmark',
    async pairs(load) {
      const { organizations, callers, durationMs } = load;
      const many = organizations > 1;
      runs += 1;
      // One bound for all numbers: few organizations make short numbers, so a hold takes more of them. The seed of two runs can be the same: it is made of
      // the second and the process's number.
      const hold = `ans_${runs}_${RANDOM.repeat(many ? 4 : 2)}`;
      const organization = many ? `organization-${RANDOM}` : organizationName(0);
      const command = recorded.map((word) => rename(word, { hold, organization }));
      const expected = rates.get(`${organizations} ${callers}`) ?? FIRST_GUESS_PER_SECOND;
      const requests = Math.max(Math.round((expected * durationMs) / 1_000), callers * MIN_PER_CALLER);
      const below = many ? organizations : MAX_RANDOM;
      const { perSecond, p50Ms } = await run([program, '-u', url, '-r', String(below)], command, { callers, requests });
      rates.set(`${organizations} ${callers}`, perSecond);
      holds += requests;
      return { pairs: requests / 2, pairsPerSecond: perSecond / 2, p50Ms: 2 * p50Ms, p99Ms: null };
    },
    async verify() {
      const { charged, held } = await countPairs(ledger, names);
      // Random ids can be the same.
      if (charged + held < holds * 0.99) throw new Error(`of ${holds} holds only ${charged + held} were placed`);
    },
    async stop() {
      await ledger.close();
      client.disconnect();
    },
  };
}

async function run(
  [program = '', ...options]: readonly string[],
  command: readonly string[],
  { callers, requests }: Pick<PairLoad, 'callers'> & { readonly requests: number },
): Promise<{ perSecond: number; p50Ms: number }> {
  const load = ['-c', String(callers), '-n', String(requests), '--csv'];
  const { stdout } = await promisify(execFile)(program, [...options, ...load, ...command]);
  // Every cell is quoted, and only the first, which is the command, may have quotes in it.
  const lines = stdout.trim().split('\n').slice(-2);
  const [head, line] = lines.map((text) => text.slice(1, -1).split('","'));
  const column = (name: string) => Number(line?.[head?.indexOf(name) ?? -1]);
  const perSecond = column('rps');
  if (!(perSecond > 0)) throw new Error(`redis-benchmark printed no rate:\n${stdout}`);
  return { perSecond, p50Ms: column('p50_latency_ms') };
}
