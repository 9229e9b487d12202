import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isSearchgateError, type SearchgateError } from '@searchgate/client';
import { type NanoUsd, parseUsd } from '@searchgate/core';
import { messageOf } from '../problems.js';
import { usd } from '../usd.js';
import { ask, nanosOf } from './ask.js';
import type { Call, Outcome, State } from './state-file.js';

/** The longest wait for one call, all retries together. */
const MAX_WAIT_MS = 600_000;
const LONGEST_STEP_MS = 30_000;
const INTERRUPTED = 'interrupted';
/** After these it is not known whether the call was made. */
const UNSURE = ['connection_failed', 'invalid_reply', 'timeout', 'idempotency_in_progress'];
/** Statuses of failures that say something about the model or the question. */
const OF_MODEL = [400, 413, 502, 504];

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
  /** Called after each call. @param left the calls that are not done. */
  onProgress(left: number): void;
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

  function raise({ model }: Call, amount: NanoUsd): void {
    if (amount > (quotes.get(model) ?? 0n)) quotes.set(model, amount);
  }

  for (const call of calls) raise(call, parseUsd(state.outcomes.get(call.key)?.cost ?? '0'));

  async function make(call: Call, maxCost: NanoUsd): Promise<void> {
    try {
      const outcome = await askPatiently(call, { ...options, maxCost, isFirst: !bounds.has(call.key) });
      state.end(call.key, outcome);
      raise(call, parseUsd(outcome.cost));
      options.onProgress(queue.length + underWay.size - 1);
    } catch (error) {
      if (isSearchgateError(error) && error.reason === 'max_cost_exceeded') {
        // Refused before anything was held. The bound grows, whatever the gateway says.
        raise(call, maxCost + 1n);
        raise(call, nanosOf(error.metadata.cheapest.required));
        bounds.delete(call.key);
        queue.unshift(call);
      } else {
        ended ??= signal.aborted ? INTERRUPTED : messageOf(error);
      }
    }
    held -= maxCost;
  }

  for (;;) {
    if (signal.aborted) ended ??= INTERRUPTED;
    const [next] = ended === undefined ? queue : [];
    const maxCost = next === undefined ? 0n : (bounds.get(next.key) ?? quotes.get(next.model) ?? 0n);
    const hasRoom = state.spent() + held + maxCost <= options.maxCost;
    if (next !== undefined && hasRoom && underWay.size < options.concurrency) {
      queue.shift();
      held += maxCost;
      const making = make(next, maxCost).finally(() => underWay.delete(making));
      underWay.add(making);
    } else if (underWay.size > 0) {
      await Promise.race(underWay);
    } else {
      return next === undefined ? ended : `--max-cost has no room for a call that may cost ${usd(maxCost)}`;
    }
  }
}

/** Asks until there is an outcome. @throws SearchgateError that says nothing about the model, after the longest wait at the latest. */
async function askPatiently(call: Call, options: RunOptions & { readonly isFirst: boolean }): Promise<Outcome> {
  const { client, state, signal, wait = systemWait } = options;
  // A repeated call may be a replay, which says nothing about the time of the model.
  let isTimed = options.isFirst;
  state.ask(call.key, options.maxCost);
  let waitedMs = 0;
  for (let stepMs = 1_000; ; stepMs = Math.min(LONGEST_STEP_MS, stepMs * 2)) {
    try {
      const outcome = await ask(client, call, options);
      return isTimed ? outcome : { ...outcome, ms: undefined, firstTextMs: undefined };
    } catch (error) {
      if (!isSearchgateError(error) || error.reason === 'max_cost_exceeded') throw error;
      const waitMs = error.retryAfterMs ?? stepMs;
      // The gateway itself has repeated what a provider failed at, and waits for no one.
      if (error.retryable && (!isOfModel(error) || error.status === 503) && waitedMs + waitMs <= MAX_WAIT_MS) {
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

/** Whether a failure is the model's reply to the question, counted as unanswered. All others are of the gateway, the key or the way there. */
function isOfModel({ reason, status }: SearchgateError): boolean {
  return !UNSURE.includes(reason) && (reason.startsWith('upstream_') || OF_MODEL.includes(status ?? 0));
}

const systemWait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });
