import { setImmediate } from 'node:timers/promises';
import { type Citation, type Provider, parseOptions, UpstreamError } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { demoDocuments, type LocalDocument } from './documents.js';
import { createPassageIndex } from './passage-index.js';
import { type Passage, passagesOf } from './passages.js';

const MAX_SNIPPET_CHARS = 500;

export interface LocalDocsOptions {
  /** The documents, such as those of a folder. Default: the documentation of Searchgate. */
  readonly documents?: readonly LocalDocument[];
  /** USD per answer, a decimal string. Default `"0.001"`. */
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
 * with `[n]` citation markers. It needs no account and no network. The index is built once, by this call.
 *
 * @throws ConfigurationError for invalid options.
 */
export function localDocs(options: LocalDocsOptions = {}): Provider {
  const { documents = demoDocuments().documents, price } = parseOptions(optionsSchema, options, 'localDocs');
  const find = createPassageIndex(documents.flatMap(passagesOf));
  return {
    id: 'local',
    name: 'Local documents',
    models: [
      {
        slug: 'local/docs',
        name: 'Local documents',
        description: 'Answers from Markdown documents on this machine, in their own words and with citations.',
        prices: [{ kind: 'flat', request: price, source: 'the operator', asOf: '2026-11-21', confidence: 'high' }],
        features: ['citations'],
        contextLength: null,
        timeoutMs: 5_000,
      },
    ],
    answer: { answer: ({ query }, { signal }) => inTurn(() => answerOf(find(query)), signal) },
  };
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
