import { z } from 'zod';
import { SEARCH_OPTIONS } from '../../base/search-options/search-options.js';
import { LIMIT_RESETS } from '../../base/time/limit-window.js';
import { CATEGORIES } from '../../catalog/model-entry.js';
import type { AnswerCitation, AnswerHead } from '../../request/answer-reply.js';
import type { AnswerBody, CreditsBody, KeyBody, ModelBody, ModelsBody } from '../success-bodies.js';
import { wireName } from '../wire-name.js';
import { describing } from './describing.js';

const text = (description: string) => z.string().describe(description);
const usd = (description: string) => z.number().describe(`US dollars. ${description}`);
const price = (description: string) => text(`US dollars as a decimal string. ${description}`).optional();
const wholeNumber = z.int().min(0);
const wholeOrNone = (description: string) => wholeNumber.nullable().describe(description);

const id = text('The id of the answer and of its ledger entry.');
const model = text('The model that ran. It differs from the one asked for after an alias or a fallback.');
const provider = text('Who served the answer.');

const citation = describing<AnswerCitation>()(
  z
    .strictObject({
      title: text('The title of the page, or its host name.'),
      url: text('The address of the page.'),
      snippet: text('Text of the page; may be empty.'),
    })
    .describe('A source. The marker [1] in an answer names the first one.'),
);
const citations = z.array(citation);

const answer = describing<AnswerBody>()(
  z
    .strictObject({
      id,
      model,
      provider,
      answer: text('The text, with markers such as [1] that name citations.'),
      citations: citations.optional().describe('Left out with `"include_citations": false`.'),
      usage: z.strictObject({ cost: usd('What was charged.') }),
    })
    .describe('An answer.'),
);

const pricing = z
  .strictObject({
    unit: z.literal('USD'),
    request: price('Of one call; "-1" where it is known only afterwards.'),
    per_1m_tokens: price('Of a million tokens.'),
    per_1m_input_tokens: price('Of a million input tokens.'),
    per_1m_output_tokens: price('Of a million output tokens.'),
    per_search: price('Of one search.'),
  })
  .describe('What callers pay. A price that does not apply is left out.');

const listedModel = describing<ModelBody>()(
  z
    .strictObject({
      id: text('What to send as `model`.'),
      name: z.string(),
      category: z.enum(CATEGORIES).describe('Models of `answer` can be asked; the others are listed only.'),
      provider: z.string(),
      description: z.string(),
      pricing,
      search_types: z.array(z.string()).nullable(),
      features: z.array(z.string()),
      options: z
        .array(z.string())
        .optional()
        .meta({
          description: 'Answer models only: the fields of `search` that the model honors.',
          examples: [SEARCH_OPTIONS.map(wireName)],
        }),
      max_results: wholeOrNone('Most results of one call.'),
      dimensions: wholeOrNone('Of an embedding.'),
      max_input_tokens: wholeOrNone('Most tokens that are read.'),
      context_length: wholeOrNone('Tokens of the context.'),
    })
    .describe('A model. A field that does not apply is `null`.'),
);

const models = describing<ModelsBody>()(z.strictObject({ data: z.array(listedModel) }).describe('The list of models.'));

const credits = describing<CreditsBody>()(
  z
    .strictObject({
      total_credits: usd('What the organization was granted.'),
      total_usage: usd('What it has spent, without what calls in flight hold.'),
    })
    .describe('The balance of the organization.'),
);

const rateLimit = z.strictObject({
  requests: wholeNumber.describe('Answers in a period.'),
  period_seconds: wholeNumber,
  remaining: wholeNumber.describe('How many more fit now.'),
});

const key = describing<KeyBody>()(
  z
    .strictObject({
      label: z.string(),
      usage: usd('Spent, of all time.'),
      limit: usd('The spend limit; `null` for none.').nullable(),
      limit_remaining: usd('What is left of it in the present window; `null` for no limit.').nullable(),
      limit_reset: z.enum(LIMIT_RESETS).nullable().describe('How often the limit resets; `null` for never.'),
      resets_at: text('When it next does, ISO 8601 in UTC; `null` for never.').nullable(),
      rate_limit: rateLimit.nullable().describe('`null` for no limit.'),
      max_concurrent: wholeOrNone('Most answers under way at once; `null` for no limit.'),
    })
    .describe('What the calling key has spent and may spend.'),
);

const answerStart = describing<AnswerHead>()(
  z.strictObject({ id, model, provider }).describe('Data of the event `start`, the first one.'),
);
const answerCitations = z
  .strictObject({ citations })
  .describe('Data of the event `citations`: the whole list so far. Entries are only added at its end.');
const answerDelta = z
  .strictObject({ text: z.string() })
  .describe('Data of the event `delta`: the next part of the text.');

/** Everything that is sent with 200, by the name it has in the document. */
export const SUCCESS_SCHEMAS = {
  Answer: answer,
  Citation: citation,
  Models: models,
  Model: listedModel,
  Pricing: pricing,
  Credits: credits,
  Key: key,
  AnswerStart: answerStart,
  AnswerCitations: answerCitations,
  AnswerDelta: answerDelta,
};
