import { parseUsd } from '@searchgate/core';
import {
  type AnswerModel,
  type AnswerOutcome,
  type Provider,
  parseOptions,
  UpstreamError,
} from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { composeAnswer } from './compose-answer.js';
import { defaultDocuments, folderDocuments } from './documents.js';
import type { LocalDocument } from './local-document.js';
import { createPassageIndex } from './passage-index.js';
import { passagesOf } from './passages.js';

/** Options of {@link localDocs}. Without `documents` and `folder`, the documentation of Searchgate and of the libraries around it is indexed. */
export interface LocalDocsOptions {
  /** The documents to answer from. */
  readonly documents?: readonly LocalDocument[];
  /** A folder of Markdown files to answer from, instead. Needs `baseUrl`. */
  readonly folder?: string;
  /** Where the public can read the files of `folder`: an http(s) URL to which their paths are added. */
  readonly baseUrl?: string;
  /** USD per answer, a decimal string. Default `"0.001"`. */
  readonly price?: string;
  /** Default `"Local documents"`. */
  readonly name?: string;
}

const DEFAULT_PRICE = '0.001';
const TIMEOUT_MS = 5_000;

const documentSchema = z.strictObject({
  source: z.string('a string').min(1, 'a name'),
  url: z.url({ protocol: /^https?$/, error: 'an absolute http(s) URL' }),
  markdown: z.string('Markdown text'),
});

const optionsSchema = z
  .strictObject({
    documents: z.array(documentSchema, 'an array of documents').min(1, 'at least one document').optional(),
    folder: z.string('the path of a folder').min(1, 'the path of a folder').optional(),
    baseUrl: z.url({ protocol: /^https?$/, error: 'an absolute http(s) URL' }).optional(),
    price: z
      .string('a decimal string such as "0.001"')
      .refine(isPrice, 'a decimal string such as "0.001", zero or more')
      .default(DEFAULT_PRICE),
    name: z.string('a string').min(1, 'a name').default('Local documents'),
  })
  .refine(({ documents, folder }) => documents === undefined || folder === undefined, {
    path: ['folder'],
    message: 'either documents or folder',
  })
  .refine(({ folder, baseUrl }) => (folder === undefined) === (baseUrl === undefined), {
    path: ['baseUrl'],
    message: 'a base URL exactly when a folder is given, because citations must be http(s) URLs',
  });

/**
 * A provider that answers from Markdown documents in this process: the model `local/docs` finds the passages that are about a question and quotes
 * them with `[n]` citations. It needs no account and no network. The index is built here, once.
 *
 * @throws ConfigurationError for wrong options. @throws Error when the folder cannot be read or is too large.
 */
export function localDocs(options: LocalDocsOptions = {}): Provider {
  const { documents, folder, baseUrl, price, name } = parseOptions(optionsSchema, options, 'localDocs');
  const read =
    folder === undefined || baseUrl === undefined ? defaultDocuments : () => folderDocuments(folder, baseUrl);
  const index = createPassageIndex((documents ?? read()).flatMap(passagesOf));

  return {
    id: 'local',
    name,
    models: [docsModel(price, name)],
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

function docsModel(price: string, name: string): AnswerModel {
  return {
    slug: 'local/docs',
    name,
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

function isPrice(text: string): boolean {
  try {
    return parseUsd(text) >= 0n;
  } catch {
    return false;
  }
}
