import { z } from 'zod';
import { SEARCH_OPTIONS } from '../base/search-options/search-options.js';
import { LIMIT_RESETS } from '../base/time/limit-window.js';
import { CATEGORIES } from '../catalog/model-entry.js';
import { groundingSchema } from '../kinds/answer/grounding.js';
import { exampleOf } from '../kinds/example-of.js';
import { charged, charges, head, text, wholeNumber } from '../kinds/reply-schemas.js';
import type { Answer } from '../request/answer-reply.js';
import type { ErrorEnvelope } from './error-envelope.js';
import { wireName } from './wire-name.js';

// One schema for each body of a success. Types and the OpenAPI document follow from it. Other files import only types, so that it loads only for the document.

const usd = (description: string) => z.number().describe(`US dollars. ${description}`);
const price = (description: string) => text(`US dollars as a decimal string. ${description}`).optional();
const wholeOrNone = (description: string) => wholeNumber.nullable().describe(description);

const citation = z
  .strictObject({
    title: text('The title of the page, or its host name.'),
    url: text('The address of the page.'),
    snippet: text('Text of the page; may be empty.'),
  })
  .describe('A source. The marker [1] in an answer names the first one.');
const citations = z.array(citation);

const answer = z
  .strictObject({
    ...head,
    answer: text('The text, with markers such as [1] that name citations.'),
    citations: citations.optional().describe('Left out with `"include_citations": false`.'),
    grounding: groundingSchema.optional(),
    truncated: z.literal(true).optional().describe('Where `max_output_tokens` has ended the text.'),
    usage: z.strictObject(charges),
  })
  .describe('An answer.');

const answerStart = z.strictObject(head).describe('Data of the event `start`, the first one.');
const answerCitations = z
  .strictObject({ citations })
  .describe('Data of the event `citations`: the whole list so far. Entries are only added at its end.');
const answerDelta = z
  .strictObject({ text: z.string() })
  .describe('Data of the event `delta`: the next part of the text.');

const HEAD = exampleOf(answerStart, { id: 'ans_01M7YFX2222TA0797FDHDYZR0C', model: 'exa/answer', provider: 'exa' });
const CITATIONS = exampleOf(citations, [
  { title: 'Zephyr Bridge opens', url: 'https://example.org/zephyr', snippet: 'Opened on 14 May…' },
]);
export const ANSWER_EXAMPLE = exampleOf(answer, {
  ...HEAD,
  answer: 'It opened in May 2021 [1].',
  citations: CITATIONS,
  usage: { cost: 0.005 },
} satisfies Answer);
/** The body of a 200 of `POST /api/v1/answer`. `model` has answered; `usage.cost` is in USD; no `citations` with `"include_citations": false`. */
export type AnswerBody = typeof ANSWER_EXAMPLE;

/** The events of a stream, by the name of the schema of their data. */
export const ANSWER_EVENTS = {
  start: 'AnswerStart',
  citations: 'AnswerCitations',
  delta: 'AnswerDelta',
  done: 'Answer',
  error: 'AnswerError',
} as const;

export const STREAM_EXAMPLE = [
  ['start', HEAD],
  ['citations', exampleOf(answerCitations, { citations: CITATIONS })],
  ['delta', exampleOf(answerDelta, { text: 'It opened in' })],
  ['delta', exampleOf(answerDelta, { text: ' May 2021 [1].' })],
  ['done', ANSWER_EXAMPLE],
]
  .map(([event, data]) => `event: ${event as string}\ndata: ${JSON.stringify(data)}\n\n`)
  .join('');

const pricing = z
  .strictObject({
    unit: z.literal('USD'),
    request: price('Of one call; "-1" where it is known only afterwards.'),
    per_1m_tokens: price('Of a million tokens.'),
    per_1m_input_tokens: price('Of a million input tokens.'),
    per_1m_output_tokens: price('Of a million output tokens.'),
    per_search: price('Of one search.'),
    per_result: price('Of each result beyond `included_results` that is asked for.'),
    per_page: price('Of each page whose text comes.'),
    per_search_unit: price('Of each search unit: a query with up to 100 documents.'),
  })
  .describe('What callers pay. A price that does not apply is left out.');

const listedModel = z
  .strictObject({
    id: text('What to send as `model`.'),
    object: z.literal('model'),
    created: wholeNumber.describe(
      'The day of its oldest known price, in seconds since the Unix epoch; 0 if the host added the model.',
    ),
    owned_by: text('As `provider`, for clients of OpenAI.'),
    name: z.string(),
    category: z.enum(CATEGORIES).describe('The kind of calls that the model serves.'),
    provider: z.string(),
    description: z.string(),
    pricing,
    free: z
      .literal(true)
      .optional()
      .describe('Set where a call costs nothing, whatever it asks for. Left out otherwise.'),
    byok: z
      .union([z.strictObject({ share: text('Of what the provider bills.') }), z.strictObject({ request: z.string() })])
      .optional()
      .describe(
        'The fee of a call in place of `pricing`. Set where your organization has its own key at the provider.',
      ),
    search_types: z.array(z.string()).nullable(),
    features: z.array(z.string()),
    policies: z
      .array(z.string())
      .describe('What `routing.require` may ask for: the words of the host about the provider.'),
    options: z
      .array(z.string())
      .optional()
      .meta({
        description: 'Answer and search models that can be called: the fields of `search` that the model honors.',
        examples: [SEARCH_OPTIONS.map(wireName)],
      }),
    max_results: wholeOrNone('Most results of one call.'),
    included_results: wholeOrNone('How many results the price of a call covers, where `pricing` has `per_result`.'),
    result_step: wholeOrNone('Results beyond them are billed in whole steps of so many.'),
    dimensions: wholeOrNone('Of an embedding.'),
    max_input_tokens: wholeOrNone('Most tokens that are read.'),
    context_length: wholeOrNone('Tokens of the context.'),
    retires_on: z.iso
      .date()
      .nullable()
      .describe('The day (UTC) on which its vendor ends it. It is not listed after that day.'),
    replacement: z.string().nullable().describe('The model that its vendor recommends in its place.'),
    verified_at: z.iso
      .date()
      .nullable()
      .describe('The day (UTC) of its last real check without a fault, where one is known.'),
    callable: z.boolean().describe('Whether this gateway can call the model.'),
  })
  .describe('A model. A field that does not apply is `null`.');
const models = z
  .strictObject({ object: z.literal('list'), data: z.array(listedModel) })
  .describe('The list of models.');

const MODEL_EXAMPLE = exampleOf(listedModel, {
  id: 'exa/answer',
  object: 'model',
  created: 1_763_942_400,
  owned_by: 'exa',
  name: 'Exa Answer',
  category: 'answer',
  provider: 'exa',
  description: 'Answers with citations.',
  pricing: { unit: 'USD', request: '0.005' },
  search_types: null,
  features: ['citations', 'streaming'],
  policies: ['zdr'],
  options: ['include_domains', 'exclude_domains'],
  max_results: null,
  included_results: null,
  result_step: null,
  dimensions: null,
  max_input_tokens: null,
  context_length: null,
  retires_on: null,
  replacement: null,
  verified_at: null,
  callable: true,
});
/** One model of {@link ModelsBody}. A field that does not apply is `null`. Prices are decimal strings of USD, `"-1"` for a dynamic price. */
export type ModelBody = typeof MODEL_EXAMPLE;

export const MODELS_EXAMPLE = exampleOf(models, { object: 'list', data: [MODEL_EXAMPLE] });
/** The body of a 200 of `GET /api/v1/models`. */
export interface ModelsBody {
  readonly object: 'list';
  /** In the order of the categories, callable models first, then by id. */
  readonly data: readonly ModelBody[];
}

const credits = z
  .strictObject({
    total_credits: usd('What the organization was granted.'),
    total_usage: usd('What it has spent, without what calls in flight hold.'),
  })
  .describe('The balance of the organization.');

export const CREDITS_EXAMPLE = exampleOf(credits, { total_credits: 25, total_usage: 0.0278 });
/** The body of a 200 of `GET /api/v1/credits`. Amounts of the whole organization in USD, without money held by calls in flight. */
export type CreditsBody = typeof CREDITS_EXAMPLE;

const rateLimit = z.strictObject({
  requests: wholeNumber.describe('Calls in a period.'),
  period_seconds: wholeNumber,
  remaining: wholeNumber.describe('How many more fit now.'),
});

const spending = {
  usage: usd('Spent, of all time.'),
  limit: usd('The spend limit; `null` for none.').nullable(),
  limit_remaining: usd('What is left of it in the present window; `null` for no limit.').nullable(),
  limit_reset: z.enum(LIMIT_RESETS).nullable().describe('How often the limit resets; `null` for never.'),
  resets_at: text('When it next does, ISO 8601 in UTC; `null` for never.').nullable(),
};

const keyBudget = z.strictObject({
  id: z.string(),
  mode: z.enum(['enforce', 'warn']).describe('`warn` for a budget that refuses nothing.'),
  ...spending,
});

const key = z
  .strictObject({
    label: z.string(),
    ...spending,
    rate_limit: rateLimit.nullable().describe('`null` for no limit.'),
    max_concurrent: wholeOrNone('Most calls under way at once; `null` for no limit.'),
    budgets: z.array(keyBudget).describe('What the key also counts in, with what all its keys have spent.'),
    bound_by: text(
      'What leaves least: `key_limit`, `organization_credits`, `budget:` with an id, or `null`.',
    ).nullable(),
  })
  .describe('What the calling key has spent and may spend.');

export const KEY_EXAMPLE = exampleOf(key, {
  label: 'Website',
  usage: 0.0278,
  limit: 5,
  limit_remaining: 4.9722,
  limit_reset: 'monthly',
  resets_at: '2026-12-01T00:00:00Z',
  rate_limit: { requests: 60, period_seconds: 60, remaining: 59 },
  max_concurrent: 4,
  budgets: [
    {
      id: 'team:research',
      mode: 'enforce',
      usage: 151.25,
      limit: 200,
      limit_remaining: 48.75,
      limit_reset: 'monthly',
      resets_at: '2026-12-01T00:00:00Z',
    },
  ],
  bound_by: 'key_limit',
});
/** The body of a 200 of `GET /api/v1/key`. Amounts are in USD: `usage` of all time, `limit_remaining` of the current window; `null` for no limit. */
export type KeyBody = typeof KEY_EXAMPLE;

const spent = {
  requests: wholeNumber.describe('Answers that were charged.'),
  cost: z.number().describe('US dollars. What was charged, and what was corrected since.'),
};

const usage = z
  .strictObject({
    data: z
      .array(
        z.union([
          z.strictObject({ day: z.iso.date(), ...spent }),
          z.strictObject({ model: z.string().nullable(), ...spent }),
          z.strictObject({ tag: z.string().nullable(), ...spent }),
          z.strictObject({ budget: z.string().nullable(), ...spent }),
        ]),
      )
      .describe('One row for each day, model, tag or budget that was used, in their order; `null` for none, last.'),
    total: z.strictObject(spent).describe('Answers that count in several budgets count once.'),
  })
  .describe('What the calling key has spent in the days asked about.');

export const USAGE_EXAMPLE = exampleOf(usage, {
  data: [
    { day: '2026-11-20', requests: 4, cost: 0.0228 },
    { day: '2026-11-21', requests: 1, cost: 0.005 },
  ],
  total: { requests: 5, cost: 0.0278 },
});
/** The body of a 200 of `GET /api/v1/usage`: the calling key's usage in the requested days. Rows without usage are left out; the row without a model, tag or budget is last. */
export type UsageBody = typeof USAGE_EXAMPLE;
/** The first field is the day, model, tag or budget. `cost` is in USD: charges with later corrections. */
export type UsageRowBody = UsageBody['data'][number];

const time = z.iso.datetime();

const answerStatus = z
  .strictObject({
    id: z.string(),
    status: z
      .enum(['held', 'charged', 'released', 'expired'])
      .describe('Under way; answered; failed at no cost; cut off by the end of a process.'),
    model: text('The model that ran; the one asked for where none did.'),
    provider: z.string().nullable().describe('Who served; `null` where no one did, or where it is not known.'),
    cost: charged,
    created_at: time,
    ended_at: time.nullable().describe('`null` while the answer is under way.'),
    answer: answer.optional().describe('Of an asynchronous answer that was charged, while it is kept.'),
    error: z.looseObject({ reason: z.string() }).optional().describe('Of an asynchronous answer that failed.'),
  })
  .describe('What became of an answer. Only asynchronous answers have a text or an error.');

export const ANSWER_STATUS_EXAMPLE = exampleOf(answerStatus, {
  ...HEAD,
  status: 'charged',
  cost: 0.005,
  created_at: '2026-11-21T09:30:00Z',
  ended_at: '2026-11-21T09:30:02Z',
});
/**
 * The body of a 200 of `GET /api/v1/answers/{id}`. `held`: in flight. `released`: failed, at no cost. `expired`: the gateway's process ended during the call. `model`
 * is the model that answered, else the requested model. `cost` is in USD. Times are ISO 8601 in UTC.
 */
export type AnswerStatusBody = Omit<typeof ANSWER_STATUS_EXAMPLE, 'error'> & {
  /** Why it failed; absent for other states. */
  readonly error?: ErrorEnvelope['error'] | undefined;
};

const accepted = z.strictObject({ id: z.string() }).describe('The answer is under way: look it up by its `id`.');
export const ACCEPTED_EXAMPLE = exampleOf(accepted, { id: 'async_01M7YFX2222TA0797FDHDYZR0C' });
/** The body of a 202: the id of an answer that is under way. */
export type AcceptedBody = typeof ACCEPTED_EXAMPLE;

/** The schemas of every gateway's bodies, by their names in the document. */
export const SUCCESS_SCHEMAS = {
  Answer: answer,
  Citation: citation,
  Grounding: groundingSchema,
  Models: models,
  Model: listedModel,
  Pricing: pricing,
  Credits: credits,
  Key: key,
  AnswerStart: answerStart,
  AnswerCitations: answerCitations,
  AnswerDelta: answerDelta,
};

/** The schemas of the paths that `usage` adds. */
export const USAGE_SCHEMAS = { Usage: usage, AnswerStatus: answerStatus };

/** The schemas of asynchronous answers. */
export const ASYNC_SCHEMAS = { Accepted: accepted, AnswerStatus: answerStatus };
