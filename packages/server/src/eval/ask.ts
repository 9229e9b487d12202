import type { Client } from '@searchgate/client';
import { formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import type { Reply } from './score.js';
import type { Call, Outcome } from './state-file.js';

/** Far below the largest reply that gateways keep for a repeated call, so that no paid page is lost. */
const MOST_CHARACTERS = 100_000;

/** Of gateways that check the sentences of an answer. */
interface Grounded {
  readonly grounding?: { readonly sentences: number; readonly supported: number } | undefined;
}

/**
 * Asks one question: an answer as a stream, everything else in one reply. Neither another model nor a kept reply stands in for the model.
 *
 * @param maxCost the gateway refuses a call that would need a larger hold.
 * @throws SearchgateError
 */
export async function ask(
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
export function nanosOf(usd: number): NanoUsd {
  return parseUsd(usd.toFixed(9));
}
