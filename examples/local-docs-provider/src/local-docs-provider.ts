import {
  type AnswerModel,
  type AnswerOutcome,
  type Provider,
  parseOptions,
  UpstreamError,
} from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { composeAnswer } from './compose-answer.js';
import { defaultDocuments } from './documents.js';
import type { LocalDocument } from './local-document.js';
import { createPassageIndex } from './passage-index.js';
import { passagesOf } from './passages.js';

const DEFAULT_PRICE = '0.001';
const TIMEOUT_MS = 5_000;
const NAME = 'Local documents';

/** Options of {@link localDocs}. */
export interface LocalDocsOptions {
  /** The documents to answer from, such as those of a folder. Default: {@link defaultDocuments}. */
  readonly documents?: readonly LocalDocument[];
  /** USD per answer, a decimal string. Default `"0.001"`. */
  readonly price?: string;
}

const documentSchema = z.strictObject({
  source: z.string('a string').min(1, 'a name'),
  url: z.url({ protocol: /^https?$/, error: 'an absolute http(s) URL' }),
  markdown: z.string('Markdown text'),
  wordings: z.record(z.string(), z.string('wordings with semicolons between them')).optional(),
  unanswered: z.array(z.string('a question'), 'an array of questions').optional(),
});

const optionsSchema = z.strictObject({
  documents: z.array(documentSchema, 'an array of documents').min(1, 'at least one document').optional(),
  price: z
    .string('a decimal string such as "0.001"')
    .regex(/^\d{1,9}(?:\.\d{1,9})?$/, 'a decimal string such as "0.001"')
    .default(DEFAULT_PRICE),
});

/**
 * A provider that answers from Markdown documents in this process: the model `local/docs` finds the passages that are about a question and quotes
 * them with `[n]` citations. It needs no account and no network. The index is built here, once.
 *
 * @throws ConfigurationError for wrong options.
 */
export function localDocs(options: LocalDocsOptions = {}): Provider {
  const { documents = defaultDocuments(), price } = parseOptions(optionsSchema, options, 'localDocs');
  const unanswered = documents.flatMap((document) => document.unanswered ?? []);
  const index = createPassageIndex(documents.flatMap(passagesOf), unanswered);

  return {
    id: 'local',
    name: NAME,
    models: [docsModel(price)],
    answer: {
      answer: ({ query }) => {
        const answer = composeAnswer(index, query);
        return answer === null ? Promise.reject(noAnswer()) : Promise.resolve<AnswerOutcome>({ ...answer, cost: {} });
      },
    },
  };
}

/** Nothing is charged, and a fallback is asked if there is one: its sources may say more. */
function noAnswer(): UpstreamError {
  return new UpstreamError('no_answer_found', {
    phase: 'shape',
    detail: 'no passage of the documents is about the question',
  });
}

function docsModel(price: string): AnswerModel {
  return {
    slug: 'local/docs',
    name: NAME,
    description: 'Answers from Markdown documents on this machine, in their own words and with citations.',
    prices: [
      {
        kind: 'flat',
        request: price,
        source: 'set by the operator of this gateway',
        asOf: '2026-11-21',
        confidence: 'high',
      },
    ],
    features: ['citations'],
    contextLength: null,
    timeoutMs: TIMEOUT_MS,
  };
}
