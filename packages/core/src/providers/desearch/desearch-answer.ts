import { z } from 'zod';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { assertSearched } from '../../provider-kit/finish-reason.js';
import { type JsonReply, jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, OutcomeCost } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { looseList, optionalAmount, optionalText } from '../../provider-kit/reply-fields.js';
import type { Source } from '../../text/collect-citations.js';
import { readableText } from '../../text/reply-limits.js';
import { tokensOf } from '../../text/scanner.js';

/**
 * Where Desearch differs from the common meaning of statuses, of which its documentation names 401, 422, 429 and 500; a wrong key is a 403 (its own examples,
 * 2026-10-04).
 */
const DESEARCH_ERRORS: ErrorTable = [
  // Nothing is written about an empty account (low confidence: neither words nor status have been seen).
  {
    status: [400, 401, 403, 429],
    message: /insufficient|not enough|out of (?:credits?|funds)|balance/i,
    reason: 'upstream_quota_exhausted',
  },
];

const pages = looseList(z.object({ link: optionalText, url: optionalText, title: optionalText, snippet: optionalText }))
  .nullish()
  .catch(null);
const searchReply = z.object({
  completion: optionalText,
  /** What was found; `search_results` in older replies. */
  search: pages,
  search_results: pages,
  cost_usd: optionalAmount,
});

/**
 * Asks `POST /desearch/ai/search` (desearch.ai/docs and the vendor's examples of 2026-10, read 2026-11-21; medium confidence).
 *
 * @param search fields of every request, by Desearch's names.
 */
export function desearchAnswer(connection: Connection, search: object): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/desearch/ai/search',
    authorize: keyHeader('authorization'),
    errors: DESEARCH_ERRORS,
    reply: searchReply,
    evidence: 'closed object',
  });
  return {
    async answer({ model, query }, context) {
      const name = model.slug.slice('desearch/'.length).toUpperCase();
      const reply = await ask({ prompt: query, tools: ['web'], model: name, ...FORM, ...search }, context);
      const { body, failure } = reply;
      const cost = costOf(reply);
      const found = body.search ?? body.search_results;
      // The search is what is asked for; a list that is empty is one that found nothing.
      assertSearched(Array.isArray(found), failure, cost);
      const sources = (found ?? []).map(({ link, url, title, snippet }) => ({ url: link ?? url, title, snippet }));
      const text = readableText(body.completion ?? '', cost.reported ?? null);
      return composeAnswer({ text: withMarkers(text, positionsOf(sources)), sources, cost });
    },
  };
}

/** A reply comes as a stream unless that is switched off (2026-10-03); ten pages are the least there is. */
const FORM = { result_type: 'LINKS_WITH_FINAL_SUMMARY', streaming: false, count: 10 };

function costOf({ body, header }: JsonReply<z.output<typeof searchReply>>): OutcomeCost {
  const isUsd = (header('x-desearch-currency') ?? 'USD').toUpperCase() === 'USD';
  return isUsd ? outcomeCost(header('x-desearch-cost-usd') ?? body.cost_usd) : {};
}

/** Where an address comes first in a list, from 1. */
function positionsOf(sources: readonly Source[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const [index, { url }] of sources.entries()) if (url && !positions.has(url)) positions.set(url, index + 1);
  return positions;
}

/** Markers are numbers of the pages found, most of them as links (`[2](https://…)`), whose address counts for more than their number. */
function withMarkers(text: string, positions: ReadonlyMap<string, number>): string {
  const output: string[] = [];
  let from = 0;
  for (const { start, end } of tokensOf(text).filter(({ kind }) => kind === 'link')) {
    const [, url = ''] = /^\[\d{1,3}\]\((\S+)\)$/.exec(text.slice(start, end)) ?? [];
    const position = positions.get(url);
    if (position === undefined) continue;
    output.push(text.slice(from, start), `【${position}】`);
    from = end;
  }
  return [...output, text.slice(from)].join('');
}
