import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, LedgerError, type LedgerReason } from '@searchgate/core/ledger';
import { checkEviction } from './check-eviction.js';
import { isPassing, isUnknownScript } from './is-passing.js';
import { REFUSAL, type Script } from './lua/opening.js';
import type { Evaluate, ScriptCall } from './redis-client.js';
import { EVICTION } from './scripts/eviction-script.js';

/** Runs scripts on one ledger. */
export interface Scripts {
  /** @throws LedgerError `ledger_closed`. For verbs that check their arguments before they run a script. */
  assertOpen(): void;
  /**
   * Runs a script as one attempt, which is repeated while the connection, the server or some of the keys are away, and gives its reply.
   * @param claim the name of a claim, whose key the script is given behind its own.
   * @throws LedgerError where the script refuses; the client's error where it stays away.
   */
  run(script: Script, values: readonly string[], claim?: string): Promise<readonly string[]>;
  /** Waits for what is running; afterwards nothing runs. */
  close(): Promise<void>;
}

export interface ScriptsOptions {
  readonly evaluate: Evaluate;
  readonly prefix: string;
  /** Where given, it rules; else the server's own. */
  readonly clock?: Clock | undefined;
  /** Whether a server may be used that throws keys away when its memory is full. Else it is asked before the first script. */
  readonly allowEviction: boolean;
}

/** Together some 1.5 to 3 seconds: longer than a restart or a failover of a few connections takes, and below the time limit of a gateway. */
const PAUSES_MS = [25, 50, 100, 200, 400, 800, 1_400];
/** A client may wait for its connection by itself, longer than that: then nothing is tried again. */
const TRY_AGAIN_FOR_MS = 3_000;

export function createScripts({ evaluate, prefix, clock, allowEviction }: ScriptsOptions): Scripts {
  const preparedOf = createPreparing(prefix);
  const nextToken = createTokens();
  const running = new Set<Promise<unknown>>();
  let mayRun = allowEviction;
  let closed = false;

  async function evaluateOnce({ source, hash }: Prepared, call: ScriptCall): Promise<unknown> {
    try {
      return await evaluate('EVALSHA', hash, call);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return evaluate('EVAL', source, call);
    }
  }

  async function evaluateUntilDone(prepared: Prepared, keys: ScriptCall['keys'], values: readonly string[]) {
    const token = nextToken();
    const startedAt = performance.now();
    for (let tries = 0; ; tries += 1) {
      // The present moment anew for every try: the difference between two clocks is taken from it.
      const now = clock === undefined ? Date.now() : clock.now();
      const rules = clock === undefined ? 'server' : 'given';
      try {
        return replyOf(await evaluateOnce(prepared, { keys, values: [token, `${now}`, rules, ...values] }));
      } catch (error) {
        const pauseMs = performance.now() - startedAt < TRY_AGAIN_FOR_MS ? PAUSES_MS[tries] : undefined;
        if (pauseMs === undefined || !isPassing(error)) throw error;
        await wait(pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }

  async function evaluateAllowed(script: Script, values: readonly string[], claim?: string) {
    if (!mayRun) {
      const eviction = preparedOf(EVICTION);
      checkEviction(await evaluateUntilDone(eviction, eviction.keys, []));
      mayRun = true;
    }
    const prepared = preparedOf(script);
    const keys = claim === undefined ? prepared.keys : ([...prepared.keys, `{${prefix}}:claim:${claim}`] as const);
    return evaluateUntilDone(prepared, keys, values);
  }

  function assertOpen(): void {
    if (closed) throw new LedgerError('ledger_closed', 'the ledger has been closed');
  }

  return {
    assertOpen,
    async run(script, values, claim) {
      assertOpen();
      const evaluating = evaluateAllowed(script, values, claim);
      running.add(evaluating);
      try {
        return refusedOr(await evaluating);
      } finally {
        running.delete(evaluating);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(running);
    },
  };
}

/** What is worked out once for each script of a ledger. */
interface Prepared {
  readonly source: string;
  readonly hash: string;
  readonly keys: ScriptCall['keys'];
}

function createPreparing(prefix: string): (script: Script) => Prepared {
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

/** Clients may be told to give buffers instead of texts. */
function replyOf(reply: unknown): readonly string[] {
  if (!Array.isArray(reply)) throw new TypeError(`expected an array from a script, found ${typeof reply}`);
  return reply.map((part) => (typeof part === 'string' ? part : String(part)));
}

function refusedOr(reply: readonly string[]): readonly string[] {
  if (reply[0] !== REFUSAL) return reply;
  throw new LedgerError(reply[1] as LedgerReason, reply[2] ?? '');
}
