import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isSearchgateError, type SearchgateError } from '@searchgate/client';
import { formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import { messageOf } from '../problems.js';
import { usd } from '../usd.js';
import type { Reply } from './score.js';
import type { Call, Outcome, State } from './state-file.js';

/** The longest wait for one call, all retries together. */
const MAX_WAIT_MS = 600_000;
const LONGEST_STEP_MS = 30_000;
const INTERRUPTED = 'interrupted';
/** After these it is not known whether the call was made. */
const UNSURE = ['connection_failed', 'invalid_reply', 'timeout', 'idempotency_in_progress'];
/** Statuses of failures that say something about the model or the question. */
const OF_MODEL = [400, 413, 502, 504];

/** Far below the largest reply that gateways keep for a repeated call, so that no paid page is lost. */
const MOST_CHARACTERS = 100_000;

/** Of gateways that check the sentences of an answer. */
type Grounded = { readonly grounding?: Readonly<Record<'sentences' | 'supported', number>> | undefined };

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
 * @returns why it ended early; `null` for a whole run.
 */
export async function runCalls(calls: readonly Call[], options: RunOptions): Promise<string | null> {
  const { state, signal } = options;
  const open = calls.filter(({ key }) => !state.outcomes.has(key));
  // Those of an earlier process may be paid already: they are first, and repeated with the same bound.
  const bounds = new Map(state.bounds);
  const queue = open.toSorted((a, b) => Number(bounds.has(b.key)) - Number(bounds.has(a.key)));
  const quotes = new Map(options.prices);
  const underWay = new Set<Promise<void>>();
  let held = 0n;
  let ended: string | null = null;

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
    const [next] = ended === null ? queue : [];
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
  const { client, state, signal, wait = (ms) => sleep(ms, undefined, { signal }) } = options;
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

/**
 * Asks one question: an answer as a stream, everything else in one reply. Neither another model nor a kept reply stands in for the model.
 *
 * @param maxCost the gateway refuses a call that would need a larger hold.
 * @throws SearchgateError
 */
async function ask(
  client: Client,
  { model, category, question, key }: Call,
  { maxCost, tag }: { readonly maxCost: NanoUsd; readonly tag: string },
): Promise<Outcome> {
  const { query, search, documents = [] } = question;
  const routing = { fallbacks: [], maxCost: formatUsd(maxCost) };
  const common = { model, idempotencyKey: key, tag, routing, cache: 'off' as const };
  const begun = performance.now();
  const elapsedMs = () => Math.round(performance.now() - begun);
  const outcome = ({ cost }: { readonly cost: number }, reply: Reply) => {
    return { cost: formatUsd(nanosOf(cost)), ms: elapsedMs(), ...reply };
  };
  if (category === 'search') {
    const { results, usage } = await client.search({ ...common, query, search });
    const text = results.map(({ title, snippet }) => `${title}\n${snippet}`).join('\n');
    return outcome(usage, { text, urls: results.map(({ url }) => url) });
  }
  if (category === 'extract') {
    const { results, usage } = await client.extract({ ...common, urls: [query], maxCharacters: MOST_CHARACTERS });
    const text = results.map(({ content }) => content).join('\n');
    return outcome(usage, { text, urls: results.map(({ url, resolved_url: resolved }) => resolved ?? url) });
  }
  if (category === 'rerank') {
    const { results, usage } = await client.rerank({ ...common, query, documents });
    return outcome(usage, { text: results[0]?.document.text, first: results[0]?.index });
  }
  let firstTextMs: number | undefined;
  for await (const event of client.answerStream({ ...common, query, search })) {
    if (event.type === 'delta') firstTextMs ??= elapsedMs();
    if (event.type === 'error') throw event.error;
    if (event.type !== 'done') continue;
    const { answer: text, citations = [], usage, grounding }: typeof event.answer & Grounded = event.answer;
    const supported = grounding && grounding.supported / Math.max(1, grounding.sentences);
    return { ...outcome(usage, { text, urls: citations.map(({ url }) => url) }), firstTextMs, supported };
  }
  throw new Error('a stream of the client ended without its last event');
}

/** An amount of the wire. Its nine decimals are exact below a million dollars. */
function nanosOf(amount: number): NanoUsd {
  return parseUsd(amount.toFixed(9));
}
