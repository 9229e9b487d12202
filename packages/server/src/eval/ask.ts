import type { Client, SearchgateError } from '@searchgate/client';
import { formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import type { Reply } from './score.js';
import type { Call, Outcome } from './state-file.js';

/** Far below the largest reply that gateways keep for a repeated call, so that no paid page is lost. */
const MOST_CHARACTERS = 100_000;

/** What a call is asked with. */
export interface Terms {
  /** The same for every repetition. */
  readonly idempotencyKey: string;
  /** The gateway refuses a call that would need a larger hold. */
  readonly maxCost: NanoUsd;
  readonly tag: string;
}

/**
 * Asks one question: an answer as a stream, everything else in one reply. Neither another model nor a kept reply stands in for the model.
 *
 * @throws SearchgateError
 */
export async function ask(client: Client, call: Call, { idempotencyKey, maxCost, tag }: Terms): Promise<Outcome> {
  const { model, category, question } = call;
  const { query, search } = question;
  const routing = { fallbacks: [], maxCost: formatUsd(maxCost) };
  const common = { model, idempotencyKey, tag, routing, cache: 'off' as const };
  const begun = performance.now();
  const elapsedMs = () => Math.round(performance.now() - begun);
  const outcome = ({ cost }: { readonly cost: number }, reply: Reply) => ({
    cost: formatUsd(nanosOf(cost)),
    reply,
    ms: elapsedMs(),
  });
  if (category === 'search') {
    const { results, usage } = await client.search({ ...common, query, search });
    const text = results.map(({ title, snippet }) => `${title}\n${snippet}`).join('\n');
    return outcome(usage, { text, urls: results.map(({ url }) => url) });
  }
  if (category === 'extract') {
    const { results, usage } = await client.extract({ ...common, urls: [query], maxCharacters: MOST_CHARACTERS });
    const urls = results.map(({ url, resolved_url: resolved = url }) => resolved);
    return outcome(usage, { text: results.map(({ content }) => content).join('\n'), urls });
  }
  if (category === 'rerank') {
    const { results, usage } = await client.rerank({ ...common, query, documents: question.documents ?? [] });
    return outcome(usage, { text: results[0]?.document.text ?? '', urls: [], first: results[0]?.index });
  }
  let firstTextMs: number | undefined;
  for await (const event of client.answerStream({ ...common, query, search })) {
    if (event.type === 'delta') firstTextMs ??= elapsedMs();
    if (event.type === 'error') throw event.error;
    if (event.type !== 'done') continue;
    const { answer, citations = [], usage, grounding } = event.answer as typeof event.answer & Grounded;
    const supported = grounding === undefined ? undefined : grounding.supported / Math.max(1, grounding.sentences);
    return { ...outcome(usage, { text: answer, urls: citations.map(({ url }) => url), supported }), firstTextMs };
  }
  throw new Error('a stream of the client ended without its last event');
}

/** Of gateways that check the sentences of an answer. */
interface Grounded {
  readonly grounding?: { readonly sentences: number; readonly supported: number } | undefined;
}

/** An amount of the wire. Its nine decimals are exact below a million dollars. */
export function nanosOf(usd: number): NanoUsd {
  return parseUsd(usd.toFixed(9));
}

/** Failures that say something about the model or the question. All others are of the gateway, the key or the way there. */
const OF_MODEL = [400, 413, 502, 504];

/** Whether the failure is the model's reply to the question: it is counted as unanswered, and cost nothing. */
export function isOfModel({ reason, status }: SearchgateError): boolean {
  if (reason === 'invalid_reply' || reason === 'connection_failed') return false;
  return reason.startsWith('upstream_') || OF_MODEL.includes(status ?? 0);
}

/** Whether it makes sense to wait and ask the same again. The gateway itself has already repeated what a provider failed at. */
export function isPassing(error: SearchgateError): boolean {
  return error.retryable && (!isOfModel(error) || error.status === 503);
}
