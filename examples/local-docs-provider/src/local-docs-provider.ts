import { setImmediate } from 'node:timers/promises';
import {
  type Citation,
  type ExtractedPage,
  type FailedPage,
  type Provider,
  parseOptions,
  type SearchResult,
  UpstreamError,
} from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { demoDocuments, type LocalDocument } from './documents.js';
import { createPassageIndex } from './passage-index.js';
import { type Passage, passagesOf } from './passages.js';

const MAX_SNIPPET_CHARS = 500;
const MAX_QUOTED = 5;
const MAX_RESULTS = 20;

export interface LocalDocsOptions {
  /** The documents, such as those of a folder. Default: the documentation of Searchgate. */
  readonly documents?: readonly LocalDocument[];
  /** USD per answer, per search and per page, a decimal string. Default `"0.001"`. */
  readonly price?: string;
}

const documentSchema = z.strictObject({
  source: z.string('a string').min(1, 'a name'),
  url: z.url({ protocol: /^https?$/, error: 'an absolute http(s) URL' }),
  markdown: z.string('Markdown text'),
});

const PRICE = 'a decimal string such as "0.001"';
const optionsSchema = z.strictObject({
  documents: z.array(documentSchema, 'an array of documents').min(1, 'at least one document').optional(),
  price: z
    .string(PRICE)
    .regex(/^\d{1,9}(?:\.\d{1,9})?$/, PRICE)
    .default('0.001'),
});

/**
 * A provider that answers from Markdown documents in this process: the model `local/docs` quotes the passages that match a question best,
 * with `[n]` citation markers; `local/search` finds them, and `local/extract` gives the documents themselves. It needs no account and no network. The index
 * is built here, once.
 *
 * @throws ConfigurationError for invalid options.
 */
export function localDocs(options: LocalDocsOptions = {}): Provider {
  const { documents = demoDocuments().documents, price } = parseOptions(optionsSchema, options, 'localDocs');
  const find = createPassageIndex(documents.flatMap(passagesOf));
  const pages = new Map(documents.map((document) => [new URL(document.url).href, document]));
  const perCall = { kind: 'flat', request: price, ...OPERATOR } as const;
  return {
    id: 'local',
    name: 'Local documents',
    models: [
      {
        slug: 'local/docs',
        name: 'Local documents',
        description: 'Answers from Markdown documents on this machine, in their own words and with citations.',
        prices: [perCall],
        features: ['citations'],
        ...COMMON,
      },
    ],
    answer: { answer: ({ query }, { signal }) => inTurn(() => answerOf(find(query, MAX_QUOTED)), signal) },
    search: {
      models: [
        {
          slug: 'local/search',
          name: 'Local documents search',
          description: 'Finds sections of Markdown documents on this machine.',
          prices: [perCall],
          features: ['content'],
          searchTypes: ['keyword'],
          maxResults: MAX_RESULTS,
          ...COMMON,
        },
      ],
      search: ({ query, maxResults, includeContent }, { signal }) =>
        inTurn(() => ({ results: find(query, maxResults).map(resultOf(includeContent)), cost: {} }), signal),
    },
    extract: {
      models: [
        {
          slug: 'local/extract',
          name: 'Local documents extract',
          description: 'Gives the text of Markdown documents on this machine.',
          prices: [{ kind: 'flat', perPage: price, ...OPERATOR }],
          features: ['markdown', 'batch_urls'],
          ...COMMON,
        },
      ],
      maxUrls: 20,
      extract: ({ urls }) => Promise.resolve({ pages: urls.map((url) => pageOf(pages, url)), cost: {} }),
    },
  };
}

const OPERATOR = { source: 'the operator', asOf: '2026-11-21', confidence: 'high' } as const;
const COMMON = { contextLength: null, timeoutMs: 5_000 };

function resultOf(includeContent: boolean): (passage: Passage) => SearchResult {
  return (passage) => ({ ...citationOf(passage), content: includeContent ? passage.text : null });
}

/** An address with an anchor is that of its document. */
function pageOf(pages: ReadonlyMap<string, LocalDocument>, asked: string): ExtractedPage | FailedPage {
  const url = new URL(asked);
  url.hash = '';
  const page = pages.get(url.href);
  return page === undefined
    ? { url: asked, failed: 'page_not_found' }
    : { url: asked, title: page.source, content: page.markdown };
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** Runs one search at a time, each in its own turn of the event loop, so that other calls are served in between. */
function inTurn<Result>(search: () => Result, signal: AbortSignal): Promise<Result> {
  const turn = lastTurn.then(async () => {
    await setImmediate();
    signal.throwIfAborted();
    return search();
  });
  lastTurn = turn.catch(() => undefined);
  return turn;
}

function answerOf(passages: readonly Passage[]) {
  // An error, so that nothing is charged and a fallback may answer.
  if (passages.length === 0)
    throw new UpstreamError('no_answer_found', { phase: 'shape', detail: 'no passage fits the question' });
  const text = passages.map((passage, place) => `${quoted(passage)}[${place + 1}]`).join('\n\n');
  return { text, citations: passages.map(citationOf), cost: {} };
}

/** A passage below its headings, with a final space for the citation marker. */
function quoted(passage: Passage): string {
  const { text } = passage;
  const headings = pathOf(passage).slice(-2).join(' › ');
  const beforeText = /^(?:\||```|[-*] |\d+\. )/.test(text) ? '\n\n' : ' ';
  return `${headings === '' ? '' : `${headings}:${beforeText}`}${text}${/[|`]$/.test(text) ? '\n\n' : ' '}`;
}

/** The headings of a passage, without a title that only repeats the source. */
function pathOf({ source, headings }: Passage): readonly string[] {
  return headings[0]?.toLowerCase() === source.toLowerCase() ? headings.slice(1) : headings;
}

function citationOf(passage: Passage): Citation {
  const { source, url, text } = passage;
  const snippet = text.length > MAX_SNIPPET_CHARS ? `${text.slice(0, MAX_SNIPPET_CHARS - 1).trimEnd()}…` : text;
  return { title: [source, ...pathOf(passage)].join(' › '), url, snippet };
}
