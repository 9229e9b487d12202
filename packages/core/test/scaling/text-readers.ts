import { z } from 'zod';
import { urlCitations } from '../../../dialects/src/openai/url-citations.js';
import { clientGroup } from '../../src/auth/client-address.js';
import { countJson, jsonOfAnswer, parseVendorJson } from '../../src/base/json-counts.js';
import { maskUrl, maskUrls } from '../../src/base/options/mask-urls.js';
import { nearestName, nearestNames } from '../../src/base/options/nearest-name.js';
import { limitOutcome, presentOutcome } from '../../src/kinds/answer/present-outcome.js';
import {
  annotatedSources,
  chatCompletion,
  readChatCompletion,
  reduceChatCompletion,
} from '../../src/provider-kit/chat-completion.js';
import { readOwnError } from '../../src/provider-kit/classify.js';
import { composeAnswer } from '../../src/provider-kit/compose-answer.js';
import { hazardAt, liveCitedText } from '../../src/provider-kit/live-cited-text.js';
import { type LiveParts, liveParts } from '../../src/provider-kit/live-parts.js';
import { LiveSegments } from '../../src/provider-kit/live-segments.js';
import { LiveTurn, reduceMessages } from '../../src/provider-kit/messages-stream.js';
import { type JsonObject, readStream, type StreamReducer } from '../../src/provider-kit/reduce-stream.js';
import { limitReply, statusOf } from '../../src/provider-kit/reply-fields.js';
import { citedText, cleaned, markText } from '../../src/provider-kit/responses-citations.js';
import {
  finishReasonOf,
  joinMessages,
  responsesReply,
  searchesOf,
  textPartsOf,
} from '../../src/provider-kit/responses-reply.js';
import { reduceResponses } from '../../src/provider-kit/responses-stream.js';
import { durationMs, retryAfterMs } from '../../src/provider-kit/retry-after.js';
import { routedCost } from '../../src/provider-kit/routed-cost.js';
import { createEventReader } from '../../src/provider-kit/server-sent-events.js';
import { parseJsonObject, readProviderError, upstreamFailure } from '../../src/provider-kit/upstream-failure.js';
import { reduceCandidate } from '../../src/providers/google/google-stream.js';
import { reduceConversation } from '../../src/providers/mistral/mistral-stream.js';
import { AddressFilter, filterAddresses, filterJson } from '../../src/text/address-filter.js';
import { annotate, joinAnnotated, joinCited } from '../../src/text/annotated-text.js';
import { citationLinks, linksIn } from '../../src/text/citation-links.js';
import { joinSegments } from '../../src/text/cited-segments.js';
import { collectCitations } from '../../src/text/collect-citations.js';
import { hasWords } from '../../src/text/has-words.js';
import { readLineStart } from '../../src/text/line-start.js';
import { positionWithin } from '../../src/text/marker-forms.js';
import { withMarkers } from '../../src/text/marker-writer.js';
import { checkedMarkers, markersOf, ownMarkers, unmarkedText } from '../../src/text/own-markers.js';
import {
  boundText,
  dayOf,
  decodeEntities,
  headingOf,
  pageTitle,
  plainText,
  snippetOf,
  webAddress,
  withoutHighlights,
} from '../../src/text/page-fields.js';
import { siteOf, withoutParameter } from '../../src/text/page-url.js';
import { markersIn, ordinaryMarkers, type RewriterOptions, rewrite, TextRewriter } from '../../src/text/rewriter.js';
import { tokensOf } from '../../src/text/scanner.js';
import { utf16Offsets } from '../../src/text/text-offsets.js';
import { withoutThoughts } from '../../src/text/thoughts.js';
import { decodeText } from '../../src/upstream/exchange.js';
import { redact } from '../../src/upstream/redact.js';
import { transportFailure } from '../../src/upstream/transport-failure.js';

const isOwn = (url: string) => url.startsWith('https://b.org');
const OWN_ERROR = z.object({ why: z.string() }).transform(({ why }) => ({ code: why, message: why }));

/**
 * Calls each function of the source that reads outside text, by the function's name. Other arguments are made before the
 * measurement.
 */
export const TEXT_READERS: Readonly<Record<string, (text: string) => () => unknown>> = {
  webAddress: (text) => () => webAddress(`https://example.org/${text}`),
  pageTitle: (text) => () => pageTitle(text, 'https://example.org/'),
  boundText: (text) => () => boundText(text, 200_000),
  dayOf: (text) => () => dayOf(text),
  headingOf: (text) => () => headingOf(text),
  // Without the words before a run, for what counts at the beginning alone.
  jsonOfAnswer: (text) => () => [text, text.replace('See [x]. x ', '')].map(jsonOfAnswer),
  statusOf: (text) => () => statusOf(text),
  clientGroup: (text) => () => clientGroup(text),
  tokensOf: (text) => () => tokensOf(text),
  routedCost: (text) => () =>
    routedCost({ is_byok: true, cost: text, cost_details: { upstream_inference_cost: text } }),
  readLineStart: (text) => () => readLineStart(text.slice(0, 1_000), true, { containers: [], isParagraph: true }),
  ordinaryMarkers: (text) => () => ordinaryMarkers(text, Number),
  rewrite: (text) => given(scanned(text), (each) => rewrite(each, counted(5))),
  'rewrite, many sources': (text) => given(scanned(text), (each) => rewrite(each, counted(999))),
  'rewrite, other numbers': (text) => () =>
    rewrite(text, { positionOf: (id) => OTHER_NUMBERS.get(id), count: () => OTHER_NUMBERS.size }),
  'rewrite, words': (text) => given(annotationsOf(text), (each) => rewrite(text, WORDS, marksOf(each))),
  markersIn: (text) => given(scanned(text), (each) => markersIn(each, 5)),
  TextRewriter: (text) => given(smallPiecesOf(text), (pieces) => inPieces(pieces, counted(5))),
  'TextRewriter, words': (text) => given(smallPiecesOf(text), (pieces) => inPieces(pieces, WORDS)),
  'TextRewriter, numbers that wait': (text) =>
    given(smallPiecesOf(text), (pieces) => inPieces(pieces, { ...counted(5), mayGrow: () => true })),
  ownMarkers: (text) => () => ownMarkers(text, 5, false),
  filterAddresses: (text) => () => [text, `[x](https://a.org/)${text}`].map((each) => filterAddresses(each, isOwn)),
  filterJson: (text) => given(JSON.stringify([text, text]), (json) => filterJson(json, isOwn)),
  AddressFilter: (text) =>
    given(smallPiecesOf(text), (pieces) => {
      const filter = new AddressFilter(isOwn);
      return [...pieces.map((piece) => filter.push(piece)), filter.push('', true)];
    }),
  markersOf: (text) => () => markersOf({ text, citations: SOURCES }),
  checkedMarkers: (text) => given(ownMarkers(text, 999, true), (markers) => checkedMarkers({ text, markers }, 5)),
  unmarkedText: (text) => () => unmarkedText({ text, citations: SOURCES }),
  withMarkers: (text) => given(ownMarkers(text, 999, true), (markers) => withMarkers({ text, markers }, (n) => n % 3)),
  urlCitations: (text) => () => urlCitations(text, { answer: text, citations: PAGES }),
  'urlCitations, without what was not streamed': (text) =>
    given(unmarkedText({ text, citations: PAGES }), (content) =>
      urlCitations(content, { answer: text, citations: PAGES }),
    ),
  annotate: (text) => given(annotationsOf(text), (annotations) => annotate({ text }, annotations, 'utf8')),
  joinAnnotated: (text) =>
    given(
      piecesOf(text).map((piece) => joinCited([piece])),
      (texts) => joinAnnotated(texts, '\n\n'),
    ),
  joinCited: (text) => given(piecesOf(text), joinCited),
  joinSegments: (text) =>
    given(
      piecesOf(text).map((piece) => [piece]),
      joinSegments,
    ),
  LiveSegments: (text) =>
    given(piecesOf(text), (pieces) => {
      const live = new LiveSegments(liveParts(SILENT));
      for (const [index, piece] of pieces.entries()) {
        live.text(piece.text);
        if (index % 3 === 0) live.cite([live.addSource({ url: piece.text + index, title: piece.text })]);
        if (index % 50 === 0) live.next();
      }
    }),
  reduceMessages: (text) =>
    given(messageEvents(text), (events) => reduced(reduceMessages(new LiveTurn(liveParts(SILENT))), events)),
  reduceConversation: (text) =>
    given(
      piecesOf(text).flatMap(({ text: content }, id) => [
        { type: 'message.output.delta', id: id % 2, content },
        { type: 'message.output.delta', id: id % 2, content: { type: 'tool_reference', url: content, title: content } },
      ]),
      (events) => reduced(reduceConversation(liveParts(SILENT)), events),
    ),
  reduceCandidate: (text) =>
    given(
      piecesOf(text).map((piece, index) => ({
        candidates: [{ content: { parts: [{ text: piece.text, thought: index % 7 === 0 }] } }],
      })),
      (events) => reduced(reduceCandidate(liveParts(SILENT)), events),
    ),
  maskUrl: (text) => () => maskUrl(`https://example.org/${text}`),
  maskUrls: (text) => () => maskUrls(`https://example.org/?${text}`),
  citationLinks: (text) => () => citationLinks(text, () => 1),
  linksIn: (text) => given(tokensOf(text), linksIn),
  collectCitations: (text) =>
    given(
      piecesOf(text).map((piece, id) => ({ id, url: piece.text + id, title: piece.text })),
      (sources) => [collectCitations(sources), collectCitations([{ url: text, title: text, snippet: text }])],
    ),
  composeAnswer: (text) => () => composeAnswer({ text: `a${scanned(text)}`, sources: SOURCES, cost: {} }),
  hasWords: (text) => () => [text, `<!--${text}`, `\n&nbsp;`.repeat(text.length >> 3)].map(hasWords),
  presentOutcome: (text) =>
    given({ text, citations: [{ url: text, title: text }, ...SOURCES], cost: {} }, (outcome) => [
      presentOutcome(outcome, true),
      presentOutcome(outcome, false),
    ]),
  limitOutcome: (text) => given({ text, citations: [{ url: text }], cost: {} }, limitOutcome),
  citedText: (text) =>
    given(responses(text), (replied) =>
      citedText(replied, { clean: (each) => withoutParameter(each, 'utm_source=openai'), otherwise: [text] }),
    ),
  textPartsOf: (text) => given(responses(text), textPartsOf),
  joinMessages: (text) =>
    given(textPartsOf(responses(text)), (parts) =>
      joinMessages(parts, (part) => ({ text: part.text ?? '', marks: [] })),
    ),
  finishReasonOf: (text) => given(responses(text), finishReasonOf),
  searchesOf: (text) => given(responses(text), searchesOf),
  withoutThoughts: (text) => () => withoutThoughts({ text: `reasoning ${text}`, marks: [] }),
  readChatCompletion: (text) => given(chatCompletion.parse(chat(text)), readChatCompletion),
  reduceChatCompletion: (text) =>
    given([...piecesOf(text).map((piece) => chat(piece.text)), chat(END)], (chunks) =>
      reduced(reduceChatCompletion(liveParts(SILENT)), chunks),
    ),
  'reduceChatCompletion, thoughts': (text) =>
    given(
      piecesOf(`<think>${text}`).map((piece) => chat(piece.text)),
      (chunks) => reduced(reduceChatCompletion(liveParts(SILENT)), chunks),
    ),
  annotatedSources: (text) =>
    given(
      piecesOf(text).map((piece, id) => ({ url: piece.text + id, title: piece.text })),
      (annotations) => annotatedSources({ annotations }),
    ),
  liveParts: (text) => () => {
    const live = liveParts(SILENT);
    for (let at = 0; at < text.length; at += 100) live.text(text.slice(at, at + 100));
    live.text(END);
  },
  reduceResponses: (text) =>
    given([...piecesOf(text).map((piece) => piece.text), END], (deltas) =>
      reduceDeltas(deltas, [{ url: 'https://example.org/1' }]),
    ),
  'reduceResponses, in small pieces': (text) =>
    given([...smallPiecesOf(text), END], (deltas) => reduceDeltas(deltas, [])),
  liveCitedText: (text) => () => {
    const writer = liveCitedText(liveParts(SILENT));
    writer.text(text);
    writer.endPart();
  },
  markText: (text) => () => markText({ text }, [], () => 1),
  cleaned: (text) =>
    given(annotate({ text }, annotationsOf(text), 'utf8'), (annotated) =>
      cleaned(annotated, (each) => withoutParameter(each, 'utm_source=openai')),
    ),
  hazardAt: (text) => () => hazardAt(text, text.length, true),
  readStream: (text) => () =>
    attempt(() => {
      const stream = readStream(reduceChatCompletion(undefined), { secrets: [] });
      stream.push(text);
      return stream.end();
    }),
  createEventReader: (text) => () => createEventReader(() => undefined).push(text),
  'createEventReader, in pieces': (text) => () => {
    const reader = createEventReader(() => undefined);
    for (let at = 0; at < text.length; at += 100) reader.push(text.slice(at, at + 100));
  },
  parseJsonObject: (text) => () => attempt(() => parseJsonObject(reply(text))),
  countJson: (text) => () => countJson(text),
  'countJson, of one string': (text) => given(JSON.stringify(text), countJson),
  parseVendorJson: (text) => () => parseVendorJson(text),
  limitReply: (text) => given({ list: piecesOf(text), text }, (parsed) => limitReply(parsed, text.length)),
  readProviderError: (text) => given(errorReply(text), readProviderError),
  readOwnError: (text) => () => readOwnError({ why: text }, OWN_ERROR),
  upstreamFailure: (text) => given(reply(errorReply(text), 400), (refusal) => upstreamFailure(refusal)),
  'upstreamFailure, plain text': (text) => () => upstreamFailure(reply(text, 400)),
  transportFailure: (text) =>
    given(new Error(text), (error) => transportFailure(error, { phase: 'body', status: 200 })),
  redact: (text) => () => redact(text, SECRETS),
  decodeText: (text) => given(Buffer.from(text), decodeText),
  retryAfterMs: (text) => () => retryAfterMs({ header: () => text }, 0),
  durationMs: (text) => () => durationMs(text),
  plainText: (text) => () => plainText(text),
  decodeEntities: (text) => () => decodeEntities(text),
  withoutHighlights: (text) => () => withoutHighlights(text),
  snippetOf: (text) => () => snippetOf(text),
  withoutParameter: (text) => () => withoutParameter(text, 'utm_source=openai'),
  siteOf: (text) => () => siteOf(text),
  utf16Offsets: (text) =>
    given(
      annotationsOf(text).map(({ endIndex }) => endIndex),
      (offsets) => utf16Offsets(text, offsets, 'utf8'),
    ),
  nearestName: (text) => () => nearestName(text, ['exa/answer']),
  nearestNames: (text) => () => nearestNames(text, ['exa/answer'], 3),
};

function counted(count: number): RewriterOptions {
  return { positionOf: positionWithin(count), count: () => count };
}

function marksOf(annotations: ReturnType<typeof annotationsOf>) {
  return annotations.map(({ endIndex, positions }) => ({ at: endIndex, ids: positions })).sort((a, b) => a.at - b.at);
}

function inPieces(pieces: readonly string[], options: RewriterOptions): void {
  const rewriter = new TextRewriter(options);
  for (const [index, piece] of pieces.entries()) {
    rewriter.push(piece, options.numbersAreWords ? [{ at: piece.length, ids: [index % 9] }] : []);
    rewriter.take();
  }
  rewriter.end();
}

/** A Responses stream that cites each of these pages after each delta. */
function reduceDeltas(deltas: Iterable<string>, pages: readonly { readonly url: string }[]): unknown {
  const writer = (live: LiveParts) =>
    liveCitedText(live, { clean: (each) => withoutParameter(each, 'utm_source=openai') });
  const reduce = reduceResponses({ writer })(liveParts(SILENT));
  reduce.push({ type: 'response.web_search_call.completed' });
  const annotations = pages.map((page) => ({ type: 'url_citation', ...page }));
  for (const delta of deltas) {
    reduce.push({ type: 'response.output_text.delta', delta });
    for (const annotation of annotations) reduce.push({ type: 'response.output_text.annotation.added', annotation });
  }
  reduce.push({ type: 'response.completed', response: {} });
  return reduce.end();
}

/** A text that is not ordinary: it is scanned. */
function scanned(text: string): string {
  return `\t${text}`;
}

function given<T>(value: T, read: (value: T) => unknown): () => unknown {
  return () => read(value);
}

const OTHER_NUMBERS = new Map(Array.from({ length: 20 }, (_, index) => [String(index + 2), index + 1]));
/** Releases the held text. */
const END = `\n\n${'The end. '.repeat(40)}`;
const WORDS = { ...counted(999), numbersAreWords: true };
const SOURCES = [1, 2, 3].map((n) => ({ url: `https://example.org/${n}` }));
const PAGES = SOURCES.map(({ url }) => ({ url, title: 'A page', snippet: '' }));
const SECRETS = ['sk-a-secret-of-forty-characters-0123456789'];

const PART = 100;
const SMALL = 10;

/** One annotation per hundred characters, every third at the end of the text. */
function annotationsOf(text: string) {
  return Array.from({ length: Math.ceil(text.length / PART) }, (_, index) => ({
    endIndex: index % 3 === 0 ? text.length : PART * index,
    ...(index % 2 === 0 ? { replaceFrom: PART * index - 3 } : {}),
    positions: [(index % 999) + 1],
  }));
}

function piecesOf(text: string) {
  return annotationsOf(text).map(({ positions }, index) => ({
    text: text.slice(PART * index, PART * index + PART),
    positions,
  }));
}

/** Pieces of two or three tokens. Ten thousand pieces reveal time that grows with the earlier text as clearly as more would. */
function smallPiecesOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / SMALL) }, (_, index) =>
    text.slice(SMALL * index, SMALL * (index + 1)),
  );
}

function responses(text: string) {
  const annotations = annotationsOf(text).map(({ endIndex }, index) => ({
    type: 'url_citation',
    url: index % 2 === 0 ? `https://a.example/${index}` : text.slice(0, 20) + index,
    start_index: 0,
    end_index: endIndex,
  }));
  const content = [{ type: 'output_text', text, annotations: annotations.slice(0, 5_000) }];
  return responsesReply.parse({ output: [{ type: 'message', content }] });
}

/** A text block per hundred characters, every third cited, with tool uses in between. */
function messageEvents(text: string) {
  return piecesOf(text).flatMap((piece, index) => [
    { type: 'content_block_start', index, content_block: { type: index % 5 === 0 ? 'server_tool_use' : 'text' } },
    ...(index % 3 === 0 ? [{ type: 'content_block_delta', index, delta: citationOf(piece.text) }] : []),
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece.text } },
    { type: 'content_block_stop', index },
  ]);
}

function citationOf(url: string) {
  return { type: 'citations_delta', citation: { url, title: url, cited_text: url } };
}

function reduced(reduce: StreamReducer, events: readonly JsonObject[]): unknown {
  for (const event of events) reduce.push(event);
  return reduce.end();
}

function chat(text: string) {
  return { choices: [{ finish_reason: 'stop', message: { content: text } }] };
}

function reply(text: string, status = 200) {
  return { status, header: () => undefined, text };
}

function errorReply(text: string): string {
  const details = piecesOf(text).map((piece) => ({ reason: piece.text, violations: [{ quotaId: piece.text }] }));
  return JSON.stringify({ error: { message: text, code: text, details } });
}

/** A refused text has been read too. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** A receiver that ignores a live answer. */
const SILENT = { citations: () => undefined, text: () => undefined };
