import { z } from 'zod';
import { assertSearched, composeAnswer, type JsonReply, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import type { Source } from '../../text/collect-citations.js';
import { readableText } from '../../text/reply-limits.js';
import { tokensOf } from '../../text/scanner.js';
import rows from './models.json' with { type: 'json' };

/** The documentation names 401, 422, 429 and 500; a wrong key gets 403 (Desearch's examples, 2026-10-04). */
const AI_SEARCH = {
  path: '/desearch/ai/search',
  authorize: keyHeader('authorization'),
  errors: [
    // The documentation says nothing about an empty account (low confidence: neither the message nor the status has been seen).
    {
      status: [400, 401, 403, 429],
      message: /insufficient|not enough|out of (?:credits?|funds)|balance/i,
      reason: 'upstream_quota_exhausted',
    },
  ],
} as const;

const pages = optional.of(looseList(z.object(textFields('link', 'url', 'title', 'snippet'))));
const searchReply = z.object({
  completion: optional.text,
  /** The found pages; `search_results` in older replies. */
  search: pages,
  search_results: pages,
  cost_usd: optional.amount,
});

/**
 * Asks `POST /desearch/ai/search` (desearch.ai/docs and the vendor's examples of 2026-10, read 2026-11-21; medium confidence).
 *
 * @param search fields of every request, by Desearch's names.
 */
function desearchAnswer(connection: Connection, search: object): AnswerAdapter {
  const ask = jsonEndpoint(connection, { ...AI_SEARCH, reply: searchReply, completeness: 'valid JSON' });
  return {
    async answer({ model, query }, context) {
      const name = model.slug.slice('desearch/'.length).toUpperCase();
      const reply = await ask({ prompt: query, tools: ['web'], model: name, ...FORM, ...search }, context);
      const { body, failure } = reply;
      const cost = costOf(reply);
      const found = body.search ?? body.search_results;
      // An empty list is the result of a search that found nothing.
      assertSearched(Array.isArray(found), failure, cost);
      const sources = (found ?? []).map(({ link, url, title, snippet }) => ({ url: link ?? url, title, snippet }));
      const text = readableText(body.completion ?? '', cost.reported ?? null);
      return composeAnswer({ text: withMarkers(text, positionsOf(sources)), sources, cost });
    },
  };
}

/** Without `streaming: false` a reply is a stream (2026-10-03). Ten pages are the minimum. */
const FORM = { result_type: 'LINKS_WITH_FINAL_SUMMARY', streaming: false, count: 10 };

function costOf({ body, header }: JsonReply<z.output<typeof searchReply>>) {
  const isUsd = (header('x-desearch-currency') ?? 'USD').toUpperCase() === 'USD';
  return isUsd ? outcomeCost(header('x-desearch-cost-usd') ?? body.cost_usd) : {};
}

/** The first position of each address in the list, from 1. */
function positionsOf(sources: readonly Source[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const [index, { url }] of sources.entries()) if (url && !positions.has(url)) positions.set(url, index + 1);
  return positions;
}

/** Citation markers are numbers of the found pages, most of them as links (`[2](https://…)`). The address of a link wins over the number. */
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

const DATE_FILTERS = [
  'PAST_24_HOURS',
  'PAST_2_DAYS',
  'PAST_WEEK',
  'PAST_2_WEEKS',
  'PAST_MONTH',
  'PAST_2_MONTHS',
  'PAST_YEAR',
  'PAST_2_YEARS',
] as const;

/** The settings of `desearch()`. */
export interface DesearchSettings extends ProviderSettings {
  /**
   * How old pages may be. Default: no filter is sent. Desearch's documentation says that the service then uses `PAST_24_HOURS`, but Desearch's evaluation
   * asks for facts of any age without a filter (2026), and replies had older pages (2026-10-04).
   */
  readonly dateFilter?: (typeof DATE_FILTERS)[number] | undefined;
}

/**
 * Desearch (desearch.ai). Experimental: not proved against the service.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const desearch: (settings: DesearchSettings) => Provider = defineProvider({
  id: 'desearch',
  name: 'Desearch',
  baseUrl: 'https://api.desearch.ai',
  models: rows,
  settings: { dateFilter: z.enum(DATE_FILTERS, `one of ${DATE_FILTERS.join(', ')}`).optional() },
  ports: (connection, { dateFilter }) => ({ answer: desearchAnswer(connection, { date_filter: dateFilter }) }),
});
