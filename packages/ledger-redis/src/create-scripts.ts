import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, LedgerError, type LedgerReason } from '@searchgate/core';
import { isPassing, isUnknownScript } from './is-passing.js';
import { REFUSAL } from './lua/opening.js';
import type { Evaluate } from './redis-client.js';

/** Runs scripts on one ledger. */
export interface Scripts {
  /** @throws LedgerError `ledger_closed`. For verbs that check their arguments before they run a script. */
  assertOpen(): void;
  /**
   * Runs a script as one attempt, which is repeated while the connection or the server is away, and gives its reply.
   * @throws LedgerError where the script refuses; the client's error where it stays away.
   */
  run(source: string, values: readonly string[]): Promise<readonly string[]>;
  /** Waits for what is running; afterwards nothing runs. */
  close(): Promise<void>;
}

export interface ScriptsOptions {
  readonly evaluate: Evaluate;
  readonly prefix: string;
  /** Where given, it rules; else the server's own. */
  readonly clock: Clock | undefined;
}

/** Together some 1.5 to 3 seconds: longer than a restart or a failover of a few connections takes, and below the time limit of a gateway. */
const PAUSES_MS = [25, 50, 100, 200, 400, 800, 1_400];
/** A client may wait for its connection by itself, longer than that: then nothing is tried again. */
const TRY_AGAIN_FOR_MS = 3_000;

export function createScripts({ evaluate, prefix, clock }: ScriptsOptions): Scripts {
  const metaKey = `{${prefix}}:meta`;
  const hashes = new Map<string, string>();
  const nextToken = createTokens();
  const running = new Set<Promise<unknown>>();
  let closed = false;

  function hashOf(source: string): string {
    const known = hashes.get(source);
    if (known !== undefined) return known;
    const hash = createHash('sha1').update(source).digest('hex');
    hashes.set(source, hash);
    return hash;
  }

  async function evaluateOnce(source: string, attempt: readonly [string, ...string[]]): Promise<unknown> {
    try {
      return await evaluate('EVALSHA', hashOf(source), attempt);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return evaluate('EVAL', source, attempt);
    }
  }

  async function evaluateUntilDone(source: string, values: readonly string[]): Promise<readonly string[]> {
    const token = nextToken();
    const startedAt = performance.now();
    for (let tries = 0; ; tries += 1) {
      // The present moment anew for every try: the difference between two clocks is taken from it.
      const now = clock === undefined ? Date.now() : clock.now();
      const rules = clock === undefined ? 'server' : 'given';
      try {
        return replyOf(await evaluateOnce(source, [metaKey, token, `${now}`, rules, ...values]));
      } catch (error) {
        const pauseMs = performance.now() - startedAt < TRY_AGAIN_FOR_MS ? PAUSES_MS[tries] : undefined;
        if (pauseMs === undefined || !isPassing(error)) throw error;
        await wait(pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }

  function assertOpen(): void {
    if (closed) throw new LedgerError('ledger_closed', 'the ledger has been closed');
  }

  return {
    assertOpen,
    async run(source, values) {
      assertOpen();
      const evaluating = evaluateUntilDone(source, values);
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
