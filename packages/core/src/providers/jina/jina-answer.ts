import { z } from 'zod';
import { messagesOf } from '../../provider-kit/call-fields.js';
import {
  chatCompletion,
  chatFinish,
  readChatCompletion,
  reduceChatCompletion,
} from '../../provider-kit/chat-completion.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, OutcomeCost, ProviderQuestion } from '../../provider-kit/provider.js';
import type { CreateReducer } from '../../provider-kit/reduce-stream.js';
import { optional } from '../../provider-kit/reply-fields.js';
import type { Source } from '../../text/collect-citations.js';
import { siteOf } from '../../text/page-url.js';
import { withoutThoughts } from '../../text/thoughts.js';
import { splitFootnotes } from './jina-footnotes.js';

/** Where Jina differs from the common meaning of statuses (jina-ai/node-DeepResearch of 2025-10-06, read 2026-11-21). */
const JINA_ERRORS: ErrorTable = [
  // 402 according to that source; Jina's other products report an empty balance with 403 and a code.
  { message: /balance not enough|insufficient (?:account )?balance/i, reason: 'upstream_quota_exhausted' },
  { code: /INSUFFICIENT_BALANCE/, reason: 'upstream_quota_exhausted' },
  // Jina's status for harmful content (low confidence that DeepSearch uses the status).
  { status: 451, reason: 'query_rejected' },
];

export interface JinaOptions {
  readonly usdPerMillionTokens: string;
  /** Fields of every request, by Jina's names. */
  readonly search: object;
}

const deepSearchReply = chatCompletion.extend({
  readURLs: optional.texts,
  /** The number of found pages. */
  numURLs: optional.number,
  /** Set by {@link reduceSteps}. */
  searched: z.boolean().catch(false),
});

/**
 * Asks `POST /v1/chat/completions` (source of the service of 2025-10-06, read 2026-11-21). The reply is streamed, because a proxy on the way cuts
 * connections that are silent for long. Thoughts, searches and visits come first, then the answer as a single piece.
 */
export function jinaAnswer(connection: Connection, { usdPerMillionTokens, search }: JinaOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/chat/completions',
    errors: JINA_ERRORS,
    reply: deepSearchReply,
    completeness: chatFinish,
    reduce: reduceSteps,
  });
  return {
    async answer(call, context) {
      const effort = call.model.slug === 'jina/deepsearch-high' ? 'high' : 'low';
      const { body, finish, failure } = await ask({ ...question(call), reasoning_effort: effort, ...search }, context);
      const { text: footnoted, annotations } = readChatCompletion(body);
      // Jina bills the tokens of a run without an answer as well.
      const tokens = body.usage?.total_tokens ?? Number.NaN;
      const spent = outcomeCost((tokens * Number(usdPerMillionTokens)) / 1e6);
      if (finish === 'failed') throw failure({ cost: spent.reported, detail: footnoted || 'the run failed' });
      assertComplete({ finish, failure }, spent);
      const { text, notes } = splitFootnotes(withoutThoughts({ text: footnoted, marks: [] }).text);
      const sources = sourcesOf(notes, annotations, body.readURLs ?? []);
      assertSearched(body.searched || sources.length > 0 || (body.numURLs ?? 0) > 0, failure, spent);
      const answer = composeAnswer({ text, sources, cost: spent, upstreamRequestId: body.id, servedModel: body.model });
      return { ...answer, cost: usageOf(body.usage) };
    },
  };
}

function question(call: ProviderQuestion): object {
  return {
    model: 'jina-deepsearch-v1',
    messages: messagesOf(call),
    stream: true,
    // Otherwise Jina answers an easy question without a search.
    no_direct_answer: true,
  };
}

const step = z.object({
  choices: z.tuple([z.object({ delta: z.object({ query: optional.text, url: optional.text }) })], z.unknown()),
});

/** Reduces chunks of a chat completion, and notes whether a chunk reports a search or a visited page. */
const reduceSteps: CreateReducer = () => {
  const completion = reduceChatCompletion(undefined);
  let searched = false;
  return {
    push(chunk) {
      completion.push(chunk);
      searched ||= isStep(chunk);
    },
    isWhole: (end) => completion.isWhole(end),
    end: () => ({ ...completion.end(), searched }),
  };
};

function isStep(chunk: unknown): boolean {
  const delta = step.safeParse(chunk).data?.choices[0].delta;
  return Boolean(delta?.query || delta?.url);
}

/**
 * Notes have the numbers of the citation markers. Annotations are fewer, but have exact quotes, and titles for pages whose note names only the host (the
 * example of jina.ai/deepsearch). Without notes and annotations, the pages that were read are the sources.
 */
function sourcesOf(notes: readonly Source[], annotations: readonly Source[], pages: readonly string[]): Source[] {
  const annotated = new Map(annotations.toReversed().map((annotation) => [annotation.url, annotation]));
  const quoted = notes.map((note) => {
    const { title, snippet } = annotated.get(note.url) ?? {};
    return { ...note, title: isHostOf(note) ? title || note.title : note.title, snippet: snippet ?? note.snippet };
  });
  const cited = [...quoted, ...annotations.map((annotation) => ({ ...annotation, id: null }))];
  return cited.length > 0 ? cited : pages.map((url) => ({ url, id: null }));
}

/** Whether a title is missing or only the host of the address. */
function isHostOf({ url, title }: Source): boolean {
  return !title || title.replace(/^www\./i, '').toLowerCase() === siteOf(url ?? '');
}

/** All tokens cost the same. The total can exceed the sum of its two parts, so all tokens that are not output count as input. */
function usageOf(usage: z.output<typeof deepSearchReply>['usage']): OutcomeCost {
  const { total_tokens: total, completion_tokens: written } = usage ?? {};
  if (typeof total !== 'number') return {};
  const outputTokens = Math.min(written ?? 0, total);
  return { usage: { inputTokens: total - outputTokens, outputTokens } };
}
