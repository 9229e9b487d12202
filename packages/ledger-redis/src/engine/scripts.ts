import { createHash, randomBytes } from 'node:crypto';
import {
  type Clock,
  LedgerError,
  type LedgerReason,
  type RetryOptions,
  retry,
  systemClock,
} from '@searchgate/core/ledger';
import { namesOf, REFUSAL, type Script } from '../lua/opening.js';
import { createBatcher } from './batcher.js';
import { checkEviction } from './check-eviction.js';
import { isTransient, isUnknownScript } from './is-transient.js';
import type { Evaluate, ScriptCall } from './redis-client.js';
import { type Reply, replyOf } from './replies.js';

/** Gives how much memory the server may use (0 for any) and what it does when that is full; nothing and why where it does not say. Needs no ledger. */
export const EVICTION: Script = {
  keys: ['meta'],
  source: `${namesOf(['meta'])}
local info = redis.pcall('INFO', 'memory')
if type(info) ~= 'string' then return { '', info.err } end
return { string.match(info, 'maxmemory:(%d+)') or '', string.match(info, 'maxmemory_policy:(%S+)') or 'INFO memory names no maxmemory_policy' }
`,
};

/** Runs scripts on one ledger. */
export interface Scripts {
  /**
   * Runs a script as one attempt, which is repeated while the connection, the server or some of the keys are away, and gives its reply.
   * @param claims the names of claims, whose keys the script is given behind its own.
   * @throws LedgerError where the script refuses; the client's error where it stays away.
   */
  run(script: Script, values: readonly string[], ...claims: readonly string[]): Promise<readonly string[]>;
}

export interface ScriptsOptions {
  readonly evaluate: Evaluate;
  readonly prefix: string;
  /** Where given, it rules; else the server's own. */
  readonly clock?: Clock | undefined;
  /** Whether a server may be used that throws keys away when its memory is full. Else it is asked before the first script. */
  readonly allowEviction: boolean;
}

/**
 * Together some 1.5 to 3 seconds: longer than a restart or a failover of a few connections takes, and below the time limit of a gateway. A client may
 * wait for its connection by itself, longer than that: then nothing is tried again.
 */
const RETRIES: RetryOptions = {
  backoff: { firstDelayMs: 25, factor: 2, longestDelayMs: 1_400 },
  maxAttempts: 8,
  giveUpAfterMs: 3_000,
  isTransient,
  clock: systemClock,
};

export function createScripts({ evaluate, prefix, clock, allowEviction }: ScriptsOptions): Scripts {
  const preparedOf = prepareOnce(prefix);
  const nextToken = createTokens();
  let mayRun = allowEviction;

  async function evaluateOnce({ source, hash }: Prepared, call: ScriptCall): Promise<unknown> {
    try {
      return await evaluate('EVALSHA', hash, call);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return evaluate('EVAL', source, call);
    }
  }

  /** Read again for every try: the difference between two clocks is taken from it. */
  function timesNow(): readonly [string, string] {
    return clock === undefined ? [`${Date.now()}`, 'server'] : [`${clock.now()}`, 'given'];
  }

  // Each operation in it has a token of its own.
  const submit = createBatcher((script, words) => {
    const prepared = preparedOf(script);
    return evaluateOnce(prepared, { keys: prepared.keys, values: ['', ...timesNow(), ...words] });
  });

  function evaluateUntilDone(script: Script, keys: ScriptCall['keys'], values: readonly string[]): Promise<Reply> {
    const token = nextToken();
    return retry(async () => {
      if (script.takesMany) return submit(script, token, values);
      return replyOf(await evaluateOnce(preparedOf(script), { keys, values: [token, ...timesNow(), ...values] }));
    }, RETRIES);
  }

  async function evaluateAllowed(script: Script, values: readonly string[], claims: readonly string[]): Promise<Reply> {
    if (!mayRun) {
      checkEviction(await evaluateUntilDone(EVICTION, preparedOf(EVICTION).keys, []));
      mayRun = true;
    }
    const { keys } = preparedOf(script);
    return evaluateUntilDone(script, [...keys, ...claims.map((claim) => `{${prefix}}:claim:${claim}`)], values);
  }

  return { run: async (script, values, ...claims) => refusedOr(await evaluateAllowed(script, values, claims)) };
}

/** What is worked out once for each script of a ledger. */
interface Prepared {
  readonly source: string;
  readonly hash: string;
  readonly keys: ScriptCall['keys'];
}

function prepareOnce(prefix: string): (script: Script) => Prepared {
  const known = new Map<Script, Prepared>();
  return (script) => {
    const before = known.get(script);
    if (before !== undefined) return before;
    const {
      source,
      keys: [first, ...others],
    } = script;
    const keyOf = (name: string) => `{${prefix}}:${name}`;
    const hash = createHash('sha1').update(source).digest('hex');
    const prepared: Prepared = { source, hash, keys: [keyOf(first), ...others.map(keyOf)] };
    known.set(script, prepared);
    return prepared;
  };
}

/** Tells attempts apart: random for the handle, counted within it. */
function createTokens(): () => string {
  const handle = randomBytes(9).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${handle}${count.toString(36)}`;
  };
}

function refusedOr(reply: Reply): Reply {
  if (reply[0] !== REFUSAL) return reply;
  throw new LedgerError(reply[1] as LedgerReason, reply[2] ?? '');
}
