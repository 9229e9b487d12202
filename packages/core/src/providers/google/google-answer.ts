import { z } from 'zod';
import type { Message } from '../../base/message.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { messagesOf, outputLimit, systemText } from '../../provider-kit/call-fields.js';
import type { FinishReason } from '../../provider-kit/completeness.js';
import {
  assertComplete,
  assertSearched,
  composeAnswer,
  costAndUsage,
  outcomeCost,
  withProviderWord,
} from '../../provider-kit/compose-answer.js';
import { finishOfWord } from '../../provider-kit/finish-words.js';
import { liveParts } from '../../provider-kit/live-parts.js';
import type { AnswerAdapter, Connection, OutcomeCost, ProviderQuestion, Respond } from '../../provider-kit/provider.js';
import { optional, ownFirst, textFields } from '../../provider-kit/reply-fields.js';
import { endpointsOf } from './google-api.js';
import { contentPart, groundedText, groundingMetadata } from './google-grounding.js';
import { reduceCandidate } from './google-stream.js';

export interface GoogleOptions {
  readonly thinkingLevel: string;
  readonly maxOutputTokens: number;
}

const INSTRUCTION =
  'Search with Google before you answer, even when you believe you know the answer, and say only what the search results support. ' +
  'Answer in the language of the question. Write neither citation marks nor a list of sources: both are added to your text.';

const candidate = z.object({
  index: optional.number,
  content: optional.object({ parts: optional.list(contentPart) }).transform((content) => content?.parts ?? []),
  finishReason: optional.text,
  groundingMetadata: optional.of(groundingMetadata).transform((metadata) => metadata ?? groundingMetadata.parse({})),
});

const usage = z.object({
  promptTokenCount: optional.number,
  cachedContentTokenCount: optional.number,
  candidatesTokenCount: optional.number,
  thoughtsTokenCount: optional.number,
});

const generateReply = z.object({
  candidates: optional.list(candidate).transform(ownFirst),
  promptFeedback: optional.object({ blockReason: optional.text }),
  usageMetadata: optional.of(usage),
  ...textFields('modelVersion', 'responseId'),
});

/** A candidate without a reason has not ended (ai.google.dev/api/generate-content). */
function finishOf({ candidates: [first], promptFeedback }: z.output<typeof generateReply>): FinishReason {
  if (promptFeedback?.blockReason) return 'refused';
  if (first === undefined) return 'failed';
  return finishOfWord(first.finishReason);
}

/**
 * Asks `POST /v1beta/models/{model}:generateContent` with the tool `google_search` (as documented 2026-11-20), or `streamGenerateContent`, which
 * takes the same body.
 */
export function googleAnswer(connection: Connection, options: GoogleOptions): Required<AnswerAdapter> {
  const form = { reply: generateReply, completeness: finishOf };
  const ask = endpointsOf(connection, 'generateContent', form);
  const askLive = endpointsOf(connection, 'streamGenerateContent?alt=sse', { ...form, reduce: reduceCandidate });

  const respond: Respond = async (call, context, live) => {
    // Google tells only at the end of a stream where citations belong.
    const parts = live && liveParts(live, { numbersAreWords: true });
    const askModel = (live === undefined ? ask : askLive)(call.model);
    const { body, finish, failure } = await askModel(requestBody(call, options), context, parts);
    const [first] = body.candidates;
    const searches = searchesOf(first?.groundingMetadata);
    const spent = usageCost(body.usageMetadata, searches);
    const word = body.promptFeedback?.blockReason || first?.finishReason;
    assertComplete({ finish, failure: word ? withProviderWord(word, failure) : failure }, spent, call);
    if (first === undefined) throw failure(costAndUsage(spent));
    // Google cannot be forced to search.
    assertSearched(searches > 0 || finish === 'truncated', failure, spent);
    // The grounding comes last, so a cut reply may lack it, or a part of it.
    const ungrounded = finish === 'truncated' ? groundedText(first.content, groundingMetadata.parse({})) : undefined;
    const grounded = groundedText(first.content, first.groundingMetadata) ?? ungrounded;
    if (grounded === undefined)
      throw failure({ ...costAndUsage(spent), detail: 'the text rests on sources that are not in the reply' });
    return composeAnswer({
      ...grounded,
      // A limit may end a reply in its thoughts.
      cost: body.usageMetadata?.candidatesTokenCount || finish === 'truncated' ? spent : {},
      finish,
      upstreamRequestId: body.responseId,
      servedModel: body.modelVersion,
    });
  };

  return { answer: respond, stream: respond };
}

/** The only listed model with a thinking level above `high` (docs.cloud.google.com, guide to Gemini 4 Hydrogen, read 2026-11-22). */
const HYDROGEN = 'google/gemini-4-hydrogen';

function requestBody(call: ProviderQuestion, { thinkingLevel, maxOutputTokens }: GoogleOptions): object {
  const { model, search } = call;
  const level = thinkingLevel === 'xhigh' && model.slug !== HYDROGEN ? 'high' : thinkingLevel;
  return {
    systemInstruction: { parts: [{ text: systemText(call, INSTRUCTION) }] },
    contents: messagesOf(call).map(contentOf),
    // Names as in Google's SDK and OpenAPI document. Google also takes `google_search` and small letters, as in its guides.
    tools: [{ googleSearch: search === undefined ? {} : googleSearch(search) }],
    generationConfig: {
      maxOutputTokens: outputLimit(call, maxOutputTokens),
      thinkingConfig: { thinkingLevel: level.toUpperCase() },
    },
  };
}

/** Fields of the tool. */
function googleSearch({ period, days }: AskedSearch): object {
  const [startTime, endTime] =
    period === undefined ? [`${days?.first}T00:00:00Z`, `${days?.last}T23:59:59.999Z`] : [period.from, period.to];
  return { timeRangeFilter: { startTime, endTime } };
}

/** Google calls the assistant `model`. */
function contentOf({ role, content }: Message): object {
  return { role: role === 'user' ? role : 'model', parts: [{ text: content }] };
}

/**
 * How many queries ran. Found pages prove a search too: a reply can have pages without queries (2026-11-22), which counts as one search.
 */
function searchesOf(metadata: z.output<typeof groundingMetadata> | undefined): number {
  const queries = (metadata?.webSearchQueries ?? []).filter((words) => words.trim() !== '').length;
  const hasPages = metadata?.groundingChunks.some((chunk) => chunk?.web?.uri) === true;
  return Math.max(queries, hasPages ? 1 : 0);
}

/**
 * The usage of a run. Google does not bill the tokens that the search puts into the prompt (`toolUsePromptTokenCount`, part of the total). Without token
 * counts there is no usage, because the search fee alone would be too little.
 */
function usageCost(used: z.output<typeof usage> | null | undefined, searches: number): OutcomeCost {
  if (!used?.promptTokenCount) return {};
  return outcomeCost(undefined, {
    inputTokens: used.promptTokenCount,
    cachedInputTokens: used.cachedContentTokenCount,
    outputTokens: (used.candidatesTokenCount ?? 0) + (used.thoughtsTokenCount ?? 0),
    searches,
  });
}
