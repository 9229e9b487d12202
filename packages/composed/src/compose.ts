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
  type Respond,
  readChatCompletion,
  reduceChatCompletion,
  UpstreamError,
} from '@searchgate/core/provider-kit';
import { CheckedText, HAS_WORDS } from './checked-text.js';
import { gather, type PageSource } from './gather.js';
import { messagesFor } from './prompt.js';
import type { Recipe } from './settings.js';

/** Every number in brackets is a marker, so that those without a source are found too. */
const NUMBERS = Array.from({ length: 999 }, (_, index) => ({ url: `source:${index + 1}` }));
/** Chat models write markers directly behind words. */
const FORM = { isGlued: true };
/** OpenAI's newer models refuse the older name of the field; other servers may not know the newer one. */
const NEWER_NAME = /(?:^|\.)(?:openai\.com|openai\.azure\.com)$/;

/** Answers by a recipe: gathers sources, asks the chat model, and checks its text. */
export function compose(recipe: Recipe): Respond {
  const { chat, check } = recipe;
  const ask = jsonEndpoint(chat, {
    path: '/chat/completions',
    reply: chatCompletion,
    completeness: chatFinish,
    reduce: reduceChatCompletion,
    streamField: 'stream',
  });
  return async (call, context, live) => {
    if (context.run === undefined) throw new Error('the context of a composed answer has no run');
    const sources = await gather({ recipe, query: call.query, run: context.run.bind(context) });
    const checked = new CheckedText({ ...recipe, sources, live });
    const parts = liveParts({ citations: () => undefined, text: (...part) => checked.push(...part) }, FORM);
    parts.sources(NUMBERS);
    const request = { ...requestOf(recipe, call, sources), ...(live && { stream_options: { include_usage: true } }) };
    const { body, finish, failure } = await ask(request, context, live && parts);
    const { text, usage } = readChatCompletion(body);
    const cost = outcomeCost(undefined, usage);
    assertComplete({ finish, failure }, cost, call);
    const { id: upstreamRequestId, model: servedModel } = body;
    const whole = composeAnswer({ ...FORM, text, sources: NUMBERS, cost, finish, upstreamRequestId, servedModel });
    checked.end(whole);
    assertGrounded(checked, whole, check === 'words');
    const { written, citations, grounding } = checked;
    return { ...whole, ...written, citations, ...(check === 'words' && { grounding }) };
  };
}

/** What is sent to the chat server. */
export function requestOf({ chat, instructions }: Recipe, call: ProviderQuestion, sources: readonly PageSource[]) {
  const limit = outputLimit(call, chat.maxOutputTokens);
  return {
    model: chat.model,
    messages: messagesFor(call, sources, instructions),
    [NEWER_NAME.test(new URL(chat.baseUrl).hostname) ? 'max_completion_tokens' : 'max_tokens']: limit,
  };
}

/** @throws UpstreamError with the usage of the chat model, which the operator pays. */
function assertGrounded(checked: CheckedText, { cost, truncated }: AnswerOutcome, isChecked: boolean): void {
  const fail = (reason: 'upstream_invalid_response' | 'no_answer_found', detail: string) =>
    new UpstreamError(reason, { phase: 'shape', status: 200, usage: cost.usage, detail });
  if (checked.isRefused)
    throw fail('upstream_invalid_response', 'a citation whose source lacks the words of its sentence');
  // A limit of the caller may end the text before its first citation.
  if (truncated === true) return;
  if (isChecked && checked.grounding.supported === 0)
    throw fail('no_answer_found', 'no sentence with a source that has its words');
  if (!HAS_WORDS.test(checked.written.text)) throw fail('upstream_invalid_response', 'no text is left of the answer');
}
