import { z } from 'zod';
import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import type { AnswerModel, FlatPrice } from '../../catalog/model-entry.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Provider } from '../../provider-kit/provider.js';
import {
  type Connection,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { optionalList, optionalText } from '../../provider-kit/reply-fields.js';

/** Of `/search` at every depth (docs.linkup.so, read 2026-11-22), with no field for a country or language. */
const LINKUP_OPTIONS = {
  includeDomains: { as: 'includeDomains' },
  excludeDomains: { as: 'excludeDomains' },
  freshness: { as: 'fromDate' },
  publishedAfter: { as: 'fromDate' },
  publishedBefore: { as: 'toDate' },
} as const satisfies OptionSupport;

function linkupSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore } = search;
  return definedFields({ includeDomains, excludeDomains, fromDate: firstDay(search), toDate: publishedBefore });
}

const PRICE = {
  kind: 'flat',
  source: 'https://docs.linkup.so/pages/documentation/development/pricing',
  asOf: '2026-11-20',
  confidence: 'high',
} as const;
const ONE_PASS: FlatPrice = {
  ...PRICE,
  request: '0.006',
};
const FEATURES = {
  features: ['citations'],
  vendorFeatures: ['structured_output', 'images'],
  options: LINKUP_OPTIONS,
};

/** Linkup's sourced answers, by depth. `linkup/fast`, `linkup/standard` and `linkup/deep` are search models, hence the `answer`. */
const LINKUP_MODELS: readonly AnswerModel[] = [
  {
    slug: 'linkup/answer',
    name: 'Linkup Answer',
    description: 'One round of agentic search and a text with its sources.',
    prices: [ONE_PASS],
    ...FEATURES,
    contextLength: null,
    // Everything but deep ends within 30 s by Linkup's own account (2026-11-20).
    timeoutMs: 30_000,
  },
  {
    slug: 'linkup/answer-flash',
    name: 'Linkup Flash Answer',
    description: 'The lowest-latency look-up, for a single fact asked for in a few words.',
    prices: [ONE_PASS],
    ...FEATURES,
    contextLength: null,
    timeoutMs: 15_000,
  },
  {
    slug: 'linkup/answer-fast',
    name: 'Linkup Fast Answer',
    description: 'A single search with the unchanged question, for short questions.',
    prices: [ONE_PASS],
    ...FEATURES,
    contextLength: null,
    // About 3 s by users' account (2026-11-20).
    timeoutMs: 15_000,
  },
  {
    slug: 'linkup/answer-deep',
    name: 'Linkup Deep Answer',
    description: 'Searches and reads pages in up to ten rounds, for hard questions.',
    prices: [{ ...PRICE, request: '0.055' }],
    ...FEATURES,
    contextLength: null,
    // Tens of seconds by Linkup's own account, about 25 s by users' (2026-11-20).
    timeoutMs: 120_000,
  },
];

/** The depth that a model is asked for with. */
function depthOf({ slug }: AnswerModel): string {
  return slug === 'linkup/answer' ? 'standard' : slug.replace('linkup/answer-', '');
}

/** Where Linkup differs from the common meaning of statuses (docs.linkup.so/pages/documentation/platform/errors, read 2026-11-20). */
const LINKUP_ERRORS: ErrorTable = [
  // Nothing was found that answers the query; it costs nothing.
  { status: 400, code: 'SEARCH_QUERY_NO_RESULT', reason: 'no_answer_found' },
  // The account's balance and the key's budget; other 429s are limits of rate.
  { status: [402, 429], code: /INSUFFICIENT_FUNDS|EXCEED_BUDGET/i, reason: 'upstream_quota_exhausted' },
  // Asks callers without a key to pay on the spot: the key was not recognized.
  { status: 402, reason: 'upstream_auth_failed' },
  { status: 409, reason: 'upstream_rejected' },
];

/** The whole of a reply: no id, no usage, no cost. */
const sourcedAnswer = z.object({
  answer: z.string(),
  sources: optionalList(z.object({ url: optionalText, name: optionalText, snippet: optionalText })),
});

/**
 * Asks `POST /search` for a sourced answer (as documented 2026-11-20). The search is what is asked for, so it cannot be left out.
 *
 * @param defaults fields of every request, by Linkup's names.
 */
function linkupAnswer(connection: Connection, defaults: Readonly<Record<string, unknown>>): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/search',
    authorize: bearer,
    errors: LINKUP_ERRORS,
    reply: sourcedAnswer,
    evidence: 'closed object',
  });
  return {
    async answer({ model, query, search }, context) {
      const question = { q: query, depth: depthOf(model), outputType: 'sourcedAnswer' };
      const { body } = await ask({ ...question, ...defaults, ...(search && linkupSearch(search)) }, context);
      return composeAnswer({
        text: body.answer,
        sources: body.sources.map(({ url, name, snippet }) => ({ url, title: name, snippet })),
        cost: {},
      });
    },
  };
}

export interface LinkupSettings extends ProviderSettings {
  /**
   * Asks for marks in the text that say which sentence is based on which source. Numbers in brackets become `[n]`, but no
   * documentation says what form the marks have (2026-11-20), so this is off until you have seen what your account gets. Default `false`.
   */
  readonly inlineCitations?: boolean | undefined;
  /** The most sources an answer is written from. Default: Linkup's own choice. */
  readonly maxResults?: number | undefined;
}

const linkupSettings = z.strictObject({
  ...commonSettings('https://api.linkup.so/v1', LINKUP_MODELS),
  inlineCitations: z.boolean('true or false').default(false),
  maxResults: z.int('a whole number').min(1, 'at least 1').optional(),
});

/**
 * Linkup (linkup.so). Its rate limit holds for the whole organization behind a key: 10 searches a second at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function linkup(settings: LinkupSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(linkupSettings, settings, 'linkup');
  const { inlineCitations, maxResults } = options;
  const search = {
    includeInlineCitations: inlineCitations,
    ...(maxResults === undefined ? {} : { maxResults }),
  };
  return { id: 'linkup', name: 'Linkup', models, limits, answer: linkupAnswer(connection, search) };
}
