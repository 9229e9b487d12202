import { z } from 'zod';
import { composeAnswer, outcomeCost } from '../compose-answer.js';
import { jsonEndpoint, keyHeader } from '../json-endpoint.js';
import type { AnswerAdapter, OutcomeCost } from '../provider.js';
import type { Connection } from '../provider-settings.js';
import { assertSearched, assertWhole, naming, type ReplyEnding } from '../reply-ending.js';
import { optionalList, optionalNumber, optionalText } from '../reply-fields.js';
import { GOOGLE_ERRORS } from './google-errors.js';
import { contentPart, groundedText, groundingMetadata } from './google-grounding.js';

export interface GoogleOptions {
  readonly thinkingLevel: string;
  readonly maxOutputTokens: number;
}

const INSTRUCTION =
  'Search with Google before you answer, even when you believe you know the answer, and say only what the search results support. ' +
  'Answer in the language of the question. Write neither citation marks nor a list of sources: both are added to your text.';

const candidate = z.object({
  content: z
    .object({ parts: optionalList(contentPart) })
    .nullish()
    .transform((content) => content?.parts ?? []),
  finishReason: optionalText,
  groundingMetadata: groundingMetadata.nullish().transform((metadata) => metadata ?? groundingMetadata.parse({})),
});

const usage = z.object({
  promptTokenCount: optionalNumber,
  cachedContentTokenCount: optionalNumber,
  candidatesTokenCount: optionalNumber,
  thoughtsTokenCount: optionalNumber,
});

const generateReply = z.object({
  candidates: optionalList(candidate),
  promptFeedback: z.object({ blockReason: optionalText }).nullish().catch(null),
  usageMetadata: usage.nullish().catch(null),
  modelVersion: optionalText,
  responseId: optionalText,
});

/** How candidates end; any other way is a failure. */
const ENDINGS: ReadonlyMap<string, ReplyEnding> = new Map([
  ['STOP', 'whole'],
  ['MAX_TOKENS', 'cut'],
  ['CONTINUATION', 'cut'],
  ['SAFETY', 'refused'],
  ['PROHIBITED_CONTENT', 'refused'],
  ['BLOCKLIST', 'refused'],
  ['SPII', 'refused'],
  ['RECITATION', 'refused'],
  ['LANGUAGE', 'refused'],
]);

/** Asks `POST /v1beta/models/{model}:generateContent` with the tool `google_search` (as documented 2026-11-20). */
export function googleAnswer(connection: Connection, options: GoogleOptions): AnswerAdapter {
  const endpointOf = (slug: string) =>
    jsonEndpoint(connection, {
      path: `/v1beta/models/${slug.slice('google/'.length)}:generateContent`,
      authorize: keyHeader('x-goog-api-key'),
      errors: GOOGLE_ERRORS,
      reply: generateReply,
    });
  // One for each model, since the schema of an endpoint is compiled with its first reply.
  const endpoints = new Map<string, ReturnType<typeof endpointOf>>();
  return {
    async answer({ model, query }, context) {
      const ask = endpoints.get(model.slug) ?? endpointOf(model.slug);
      endpoints.set(model.slug, ask);
      const { body, failure } = await ask(requestBody(query, options), context);
      const [first] = body.candidates;
      const blockReason = body.promptFeedback?.blockReason;
      if (blockReason) assertWhole('refused', naming(blockReason, failure), {});
      if (first === undefined) throw failure();
      const finishReason = first.finishReason || 'STOP';
      assertWhole(ENDINGS.get(finishReason) ?? 'failed', naming(finishReason, failure), {});
      // No search can be forced, and its queries are the one sign that one ran.
      const searches = first.groundingMetadata.webSearchQueries.filter((words) => words.trim() !== '').length;
      assertSearched(searches > 0, failure, {});
      const grounded = groundedText(first.content, first.groundingMetadata);
      if (grounded === undefined) throw failure({ detail: 'the text rests on sources that are not in the reply' });
      return composeAnswer({
        ...grounded,
        cost: costOf(body.usageMetadata, searches),
        upstreamRequestId: body.responseId,
        servedModel: body.modelVersion,
      });
    },
  };
}

function requestBody(query: string, { thinkingLevel, maxOutputTokens }: GoogleOptions): object {
  return {
    systemInstruction: { parts: [{ text: INSTRUCTION }] },
    contents: [{ role: 'user', parts: [{ text: query }] }],
    // Names as Google's own SDK and OpenAPI document write them; its guides also show `google_search` and small letters, and both are understood.
    tools: [{ googleSearch: {} }],
    generationConfig: { maxOutputTokens, thinkingConfig: { thinkingLevel: thinkingLevel.toUpperCase() } },
  };
}

/** What the search put into the prompt (`toolUsePromptTokenCount`, part of the total) is not billed. Without tokens the fee alone would be too little. */
function costOf(used: z.output<typeof usage> | null | undefined, searches: number): OutcomeCost {
  if (!used?.promptTokenCount || !used.candidatesTokenCount) return {};
  return outcomeCost(undefined, {
    inputTokens: used.promptTokenCount,
    cachedInputTokens: used.cachedContentTokenCount,
    outputTokens: used.candidatesTokenCount + (used.thoughtsTokenCount ?? 0),
    searches,
  });
}
