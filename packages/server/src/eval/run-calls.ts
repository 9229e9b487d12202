import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isSearchgateError } from '@searchgate/client';
import { type NanoUsd, parseUsd } from '@searchgate/core';
import { messageOf } from '../problems.js';
import { usd } from '../usd.js';
import { ask, isOfModel, isPassing, nanosOf } from './ask.js';
import type { Call, Outcome, State } from './state-file.js';

/** The longest wait for one call, all retries together. */
const MAX_WAIT_MS = 600_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_STEP_MS = 30_000;
/** After these it is not known whether the call was made: its time is not that of the model. */
const UNSURE = ['connection_failed', 'invalid_reply', 'timeout', 'idempotency_in_progress'];

const INTERRUPTED = 'interrupted';

export interface RunOptions {
  readonly client: Client;
  readonly state: State;
  readonly concurrency: number;
  readonly maxCost: NanoUsd;
  /** The list price of a call of each model, as far as it has one. */
  readonly prices: ReadonlyMap<string, NanoUsd>;
  readonly tag: string;
  /** After its abort no call begins; those under way are finished, since they are paid. */
  readonly signal: AbortSignal;
  /** Called after each call. */
  onProgress(): void;
  /** Waits milliseconds; rejects when the signal is aborted. @default a timer */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/**
 * Makes the calls that the state does not have yet. Money is set aside for each call before it begins: the largest of the model's list price, of what the
 * gateway has asked to hold, and of what a call has cost.
 *
 * @returns why it ended early; `undefined` for a whole run.
 */
export async function runCalls(calls: readonly Call[], options: RunOptions): Promise<string | undefined> {
  const { state, signal } = options;
  const open = calls.filter(({ key }) => !state.outcomes.has(key));
  // Those of an earlier process may be paid already: they are first, and repeated with the same bound.
  const bounds = new Map(state.bounds);
  const queue = open.toSorted((a, b) => Number(bounds.has(b.key)) - Number(bounds.has(a.key)));
  const quotes = new Map(options.prices);
  const underWay = new Set<Promise<void>>();
  let held = 0n;
  let ended: string | undefined;

  const reserveOf = ({ key, model }: Call) => bounds.get(key) ?? quotes.get(model) ?? 0n;
  const raise = ({ model }: Call, amount: NanoUsd) => void quotes.set(model, larger(quotes.get(model) ?? 0n, amount));

  async function make(call: Call, reserve: NanoUsd): Promise<void> {
    try {
      const outcome = await askPatiently(call, reserve, { ...options, isFirst: !bounds.has(call.key) });
      state.end(call.key, outcome);
      raise(call, parseUsd(outcome.cost));
      options.onProgress();
    } catch (error) {
      if (isSearchgateError(error) && error.reason === 'max_cost_exceeded') {
        // Refused before anything was held. One nano more at least, so that the bound grows whatever the gateway says.
        raise(call, larger(nanosOf(error.metadata.cheapest.required), reserve + 1n));
        bounds.delete(call.key);
        queue.unshift(call);
      } else {
        ended ??= signal.aborted ? INTERRUPTED : messageOf(error);
      }
    } finally {
      held -= reserve;
    }
  }

  for (;;) {
    if (signal.aborted) ended ??= INTERRUPTED;
    const [next] = ended === undefined ? queue : [];
    const reserve = next === undefined ? 0n : reserveOf(next);
    const hasRoom = state.spent() + held + reserve <= options.maxCost;
    if (next !== undefined && hasRoom && underWay.size < options.concurrency) {
      queue.shift();
      held += reserve;
      const making = make(next, reserve).finally(() => underWay.delete(making));
      underWay.add(making);
    } else if (underWay.size > 0) {
      await Promise.race(underWay);
    } else {
      return next === undefined ? ended : `--max-cost has no room for a call that may cost ${usd(reserve)}`;
    }
  }
}

/** Asks until there is an outcome. @throws SearchgateError that says nothing about the model, after the longest wait at the latest. */
async function askPatiently(
  call: Call,
  maxCost: NanoUsd,
  options: RunOptions & { readonly isFirst: boolean },
): Promise<Outcome> {
  const { client, state, tag, signal, wait = systemWait } = options;
  // A repeated call may be a replay, which says nothing about the time of the model.
  let isTimed = options.isFirst;
  state.ask(call.key, maxCost);
  let waitedMs = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      const outcome = await ask(client, call, { idempotencyKey: call.key, maxCost, tag });
      return isTimed ? outcome : { ...outcome, ms: undefined, firstTextMs: undefined };
    } catch (error) {
      if (!isSearchgateError(error) || error.reason === 'max_cost_exceeded') throw error;
      const waitMs = error.retryAfterMs ?? Math.min(LONGEST_STEP_MS, FIRST_WAIT_MS * 2 ** tries);
      if (isPassing(error) && waitedMs + waitMs <= MAX_WAIT_MS) {
        isTimed &&= !UNSURE.includes(error.reason);
        waitedMs += waitMs;
        await wait(waitMs, signal);
      } else if (isOfModel(error)) {
        return { cost: '0', reason: error.reason };
      } else {
        throw error;
      }
    }
  }
}

const systemWait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });
const larger = (one: NanoUsd, other: NanoUsd) => (one > other ? one : other);
