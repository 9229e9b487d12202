import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { organizationName, type PairNames, withNames } from '../hold-and-settle.js';
import type { LedgerCase, PairSample } from '../ledger-case.js';
import { paddedOrganization, RECORDED_PAIRS, type RedisCommand, type RedisRecording } from './redis-recording.js';

const run = promisify(execFile);

/** What `redis-benchmark` replaces by twelve random digits below its `-r`, each one anew. */
const RANDOM = '__rand_int__';
const MOST_RANDOM = 2_000_000_000;
/** So many holds wait for each settle that is sent, so that few meet one that another has ended: eight or nine in ten are the first. */
const HOLDS_PER_SETTLE = 4;
const PIPELINED = 2_000;
const FIRST_GUESS_PER_SECOND = 2_000;
const FEWEST_PER_CALLER = 20;

interface Rate {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
}

type Load = LedgerCase & { readonly durationMs: number };

/** Measures a hold and a settle through `redis-benchmark`, which can send but one command at a time: a half of the time each. */
export function redisBenchmark(program: string, url: string, recording: RedisRecording) {
  const known = new Map<string, number>();
  let nextRun = 1;
  const sent = { holds: RECORDED_PAIRS, settles: RECORDED_PAIRS };

  async function rate(name: string, load: Load, send: (requests: number) => Promise<Rate>): Promise<Rate> {
    const id = `${name} ${load.organizations} ${load.callers}`;
    const expected = known.get(id) ?? FIRST_GUESS_PER_SECOND;
    const requests = Math.round((expected * load.durationMs) / 2_000);
    const measured = await send(Math.max(requests, load.callers * FEWEST_PER_CALLER));
    known.set(id, measured.perSecond);
    return measured;
  }

  function holdAll({ organizations, callers }: Load, requests: number): Promise<Rate> {
    const many = organizations > 1;
    // One bound for all numbers: few organizations make short numbers, so a hold takes more of them.
    const names = {
      holdId: `ans_${RANDOM.repeat(many ? 4 : 2)}`,
      organizationId: many ? `organization-${RANDOM}` : organizationName(0),
    };
    sent.holds += requests;
    const command = renamed(recording.hold, names);
    return callProgram(program, { url, command, requests, callers, below: many ? organizations : MOST_RANDOM });
  }

  async function settleAll({ organizations, callers }: Load, requests: number): Promise<Rate> {
    const prefix = `ans_${String(nextRun++).padStart(14, '0')}`;
    const holds = requests * HOLDS_PER_SETTLE;
    await placeHolds(recording, { prefix, holds, organizations });
    sent.holds += holds;
    sent.settles += requests;
    const command = renamed(recording.settle, { holdId: prefix + RANDOM, organizationId: '' });
    return callProgram(program, { url, command, requests, callers, below: holds });
  }

  return {
    async measure(load: Load): Promise<PairSample> {
      const hold = await rate('hold', load, (requests) => holdAll(load, requests));
      const settle = await rate('settle', load, (requests) => settleAll(load, requests));
      return {
        pairs: Math.min(hold.requests, settle.requests),
        pairsPerSecond: 1 / (1 / hold.perSecond + 1 / settle.perSecond),
        p50Ms: hold.p50Ms + settle.p50Ms,
        p99Ms: null,
      };
    },
    /** @throws Error when the scripts have not done what they were sent for. */
    async verify(): Promise<void> {
      const { holds, charges } = await recording.count();
      if (holds < sent.holds * 0.99 || charges < sent.settles * 0.8) {
        throw new Error(`of ${sent.holds} holds ${holds} were placed, of ${sent.settles} settles ${charges} charged`);
      }
    },
  };
}

async function placeHolds(
  { client, hold }: RedisRecording,
  { prefix, holds, organizations }: { prefix: string; holds: number; organizations: number },
): Promise<void> {
  for (let first = 0; first < holds; first += PIPELINED) {
    const count = Math.min(PIPELINED, holds - first);
    const placed = Array.from({ length: count }, (_, index) => {
      const number = first + index;
      const names = {
        holdId: prefix + String(number).padStart(RANDOM.length, '0'),
        organizationId: paddedOrganization(number % organizations),
      };
      const [command = '', ...words] = renamed(hold, names);
      return client.call(command, ...words);
    });
    await Promise.all(placed);
  }
}

function renamed(command: RedisCommand, names: PairNames): string[] {
  return command.map((word) => withNames(word, names));
}

interface Call {
  readonly url: string;
  readonly command: readonly string[];
  readonly requests: number;
  readonly callers: number;
  /** The bound of random numbers. */
  readonly below: number;
}

async function callProgram(program: string, { url, command, requests, callers, below }: Call): Promise<Rate> {
  const options = ['-u', url, '-c', String(callers), '-n', String(requests), '-r', String(below), '--csv'];
  const { stdout } = await run(program, [...options, ...command]);
  const [head, line] = stdout.trim().split('\n').slice(-2).map(cellsOf);
  const column = (name: string) => Number(line?.[head?.indexOf(name) ?? -1]);
  const rate = { requests, perSecond: column('rps'), p50Ms: column('p50_latency_ms') };
  if (!(rate.perSecond > 0)) throw new Error(`redis-benchmark told no rate:\n${stdout}`);
  return rate;
}

/** Every cell is quoted, and only the first, which is the command, may have quotes in it. */
function cellsOf(line: string): string[] {
  return line.slice(1, -1).split('","');
}
