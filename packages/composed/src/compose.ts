import {
  type AnswerOutcome,
  assertComplete,
  chatCompletion,
  chatFinish,
  composeAnswer,
  jsonEndpoint,
  liveParts,
  outcomeCost,
  outputLimit,
  type ProviderQuestion,
  type ReplyFailure,
  type Respond,
  readChatCompletion,
  reduceChatCompletion,
  UpstreamError,
} from '@searchgate/core/provider-kit';
import { CheckedText } from './checked-text.js';
import { gather, type PageSource } from './gather.js';
import { messagesFor } from './prompt.js';
import type { Recipe } from './settings.js';

/** Every number in brackets is a marker, so that those without a source are found too. */
const NUMBERS = Array.from({ length: 999 }, (_, index) => ({ url: `source:${index + 1}` }));
/** Chat models write markers directly behind words. */
const FORM = { isGlued: true };
/** OpenAI's newer models refuse the older name of the field; other servers may not know the newer one. */
const NEWER_NAME = /(?:^|\.)(?:openai\.com|openai\.azure\.com)$/;
const HAS_WORDS = /[\p{L}\p{N}]/u;

/** Answers by a recipe: gathers sources, asks the chat model, and checks its text. */
export function compose(recipe: Recipe): Respond {
  const { chat, check, onUnsupported } = recipe;
  const { apiKey, baseUrl, headers } = chat;
  const ask = jsonEndpoint(
    { apiKey, baseUrl, headers },
    {
      path: '/chat/completions',
      reply: chatCompletion,
      completeness: chatFinish,
      reduce: reduceChatCompletion,
      streamField: 'stream',
    },
  );
  return async (call, context, live) => {
    const sources = await gather(recipe, call.query, context);
    const checked = new CheckedText({ sources, check, onUnsupported, live });
    let received = 0;
    const parts = liveParts(
      {
        citations: () => undefined,
        text: (part, markers) => {
          received += part.length;
          checked.push(part, markers);
        },
      },
      FORM,
    );
    parts.sources(NUMBERS);
    const { body, finish, failure } = await ask(
      requestOf(recipe, call, { sources, isLive: live !== undefined }),
      context,
      live && parts,
    );
    const { text, usage } = readChatCompletion(body);
    const cost = outcomeCost(undefined, usage);
    assertComplete({ finish, failure }, cost, call);
    const { id: upstreamRequestId, model: servedModel } = body;
    const whole = composeAnswer({ ...FORM, text, sources: NUMBERS, cost, finish, upstreamRequestId, servedModel });
    checked.push(whole.text.slice(received), restOf(whole, received));
    checked.end();
    assertGrounded(checked, { whole, isChecked: check === 'words' });
    const { text: written, markers, citations, grounding } = checked;
    return { ...whole, text: written, markers, citations, ...(check === 'words' && { grounding }) };
  };
}

interface Asked {
  readonly sources: readonly PageSource[];
  readonly isLive: boolean;
}

/** What is sent to the chat server. */
export function requestOf({ chat, instructions }: Recipe, call: ProviderQuestion, { sources, isLive }: Asked): object {
  const limit = outputLimit(call, chat.maxOutputTokens);
  return {
    model: chat.model,
    messages: messagesFor(call, sources, instructions),
    [NEWER_NAME.test(new URL(chat.baseUrl).hostname) ? 'max_completion_tokens' : 'max_tokens']: limit,
    ...(isLive && { stream_options: { include_usage: true } }),
  };
}

/** The markers of the text from an offset on. */
function restOf({ markers = [] }: AnswerOutcome, from: number) {
  const rest = markers.filter(({ start }) => start >= from);
  return rest.map(({ start, end, position }) => ({ start: start - from, end: end - from, position }));
}

/** @throws UpstreamError with the usage of the chat model, which the operator pays. */
function assertGrounded(
  checked: CheckedText,
  { whole, isChecked }: { whole: AnswerOutcome; isChecked: boolean },
): void {
  const { usage } = whole.cost;
  const fail = (reason: NonNullable<ReplyFailure['reason']>, detail: string) =>
    new UpstreamError(reason, { phase: 'shape', status: 200, usage, detail });
  if (checked.isRefused)
    throw fail('upstream_invalid_response', 'a citation whose source lacks the words of its sentence');
  // A limit of the caller may end the text before its first citation.
  if (whole.truncated === true) return;
  if (isChecked && checked.grounding.supported === 0)
    throw fail('no_answer_found', 'no sentence with a source that has its words');
  if (!HAS_WORDS.test(checked.text)) throw fail('upstream_invalid_response', 'no text is left of the answer');
}
