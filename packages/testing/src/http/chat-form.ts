import { type AnswerBody, REASONS, type Reason } from '@searchgate/core';
import type { CaseRequest, Expectation, HttpCase } from './http-case.js';

const CHAT_TARGET = '/api/v1/chat/completions';
const RESPONSES_TARGET = '/api/v1/responses';
/** The paths whose errors are in OpenAI's form. */
export const OPENAI_TARGETS: readonly string[] = [CHAT_TARGET, RESPONSES_TARGET];
const ANSWER_TARGET = '/api/v1/answer';

type Form = readonly [string, (request: CaseRequest) => CaseRequest, (expected: Expectation) => Expectation];

/**
 * The rows of `POST /answer` as chat completions: only the form may differ. Requests before the row's own request keep the first form, so a
 * repeated question comes in both.
 */
export function throughChat(rows: readonly HttpCase[]): HttpCase[] {
  return through(rows, ['asked as a chat completion', chatRequest, chatExpectation]);
}

/** The rows of `POST /answer` as responses. Their bodies are compared where their form is made. */
export function throughResponses(rows: readonly HttpCase[]): HttpCase[] {
  return through(rows, ['asked for as a response', responsesRequest, responsesExpectation]);
}

function responsesRequest({ json, ...request }: CaseRequest): CaseRequest {
  const { query: input, ...fields } = (json ?? {}) as { readonly query?: unknown };
  return { ...request, target: RESPONSES_TARGET, ...(json !== undefined && { json: { ...fields, input } }) };
}

function responsesExpectation({ body: _body, event, ...expected }: Expectation): Expectation {
  const { endpoint, ...others } = event ?? {};
  return { ...expected, event: { ...others, ...(endpoint && { endpoint: 'responses' as const }) } };
}

function through(rows: readonly HttpCase[], [suffix, form, expectation]: Form): HttpCase[] {
  return rows.filter(isPortable).map((row) => {
    const { behindParser: parser, name, request, expect } = row;
    const behindParser = parser && {
      ...parser,
      expect: parser.expect === 'not applicable' ? parser.expect : expectation(parser.expect),
    };
    return {
      ...row,
      name: `${name}, ${suffix}`,
      request: form(request),
      expect: expectation(expect),
      ...(behindParser && { behindParser }),
    };
  });
}

function isPortable({ onlyAnswer, request, expect, behindParser }: HttpCase): boolean {
  if (onlyAnswer === true || request.target !== ANSWER_TARGET) return false;
  const expectations = [expect, behindParser?.expect].filter((each) => each !== undefined && each !== 'not applicable');
  if (expectations.some(({ verify }) => verify !== undefined)) return false;
  // A body without a question is always refused.
  const isQuestion = typeof (request.json as { query?: unknown } | undefined)?.query === 'string';
  return isQuestion || expectations.every(({ status, by, error }) => by === 'host' || status === 'none' || error);
}

/** The same question as a chat completion; a body without a question is unchanged. */
export function chatRequest(request: CaseRequest): CaseRequest {
  const { query: content, ...fields } = (request.json ?? {}) as { readonly query?: unknown };
  const json = content === undefined ? {} : { json: { ...fields, messages: [{ role: 'user', content }] } };
  return { ...request, target: CHAT_TARGET, ...json };
}

function chatExpectation({ body, event, streamed, ...expected }: Expectation): Expectation {
  const inChat = event?.endpoint === undefined ? event : { ...event, endpoint: 'chat_completions' as const };
  return {
    ...expected,
    ...(streamed && { streamed }),
    ...(inChat && { event: inChat }),
    ...(body !== undefined && { body: streamed === true ? chatStream(body) : chatBody(body) }),
  };
}

/** The placeholder for times in {@link HttpCase} rows. */
const CREATED = '<created>';
const FRAME = { index: 0, logprobs: null };
const ROLE = { role: 'assistant', content: '', refusal: null };

function chatBody(own: string): string {
  const { model, answer: content, citations, grounding } = JSON.parse(own) as AnswerBody;
  const annotations = citations && { annotations: annotationsOf({ answer: content, citations }) };
  const message = { role: 'assistant', content, refusal: null, ...annotations };
  const { index, logprobs } = FRAME;
  const choices = [{ index, message, logprobs, finish_reason: 'stop' }];
  const head = { id: '<id>', object: 'chat.completion', created: CREATED, model, choices, system_fingerprint: null };
  return withUsage({ ...head, ...sourcesOf(citations), grounding }, own);
}

/** @param own the gateway's own body, with the cost. */
function withUsage(body: object, own: string): string {
  const [, cost = ''] = /"cost":([\d.]+)/.exec(own) ?? [];
  const usage = `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"cost":${cost}}`;
  return `${JSON.stringify(body).slice(0, -1)},${usage}}`;
}

function annotationsOf({ answer, citations = [] }: Pick<AnswerBody, 'answer' | 'citations'>) {
  return [...answer.matchAll(/\[(\d)\]/g)].map(({ 1: number, index: start_index }) => {
    const { url = '', title = '' } = citations[Number(number) - 1] ?? {};
    return { type: 'url_citation', url_citation: { start_index, end_index: start_index + 3, url, title } };
  });
}

function sourcesOf(citations: AnswerBody['citations']): object {
  return citations === undefined
    ? {}
    : { citations: citations.map(({ url }) => url), search_results: citations.map(inOrder) };
}

function inOrder({ title, url, snippet }: NonNullable<AnswerBody['citations']>[number]) {
  return { title, url, snippet };
}

/** The chunks of a stream, from the gateway's own events; comments stay. */
function chatStream(own: string): string {
  const model = /"model":"([^"]+)"/.exec(own)?.[1] ?? '';
  const chunk = (delta: object, more: object = {}, finish_reason: string | null = null) => {
    const { index, logprobs } = FRAME;
    const choices = [{ index, delta, logprobs, finish_reason }];
    return { id: '<id>', object: 'chat.completion.chunk', created: CREATED, model, choices, ...more };
  };
  const chunks: Readonly<Record<string, (data: string) => readonly (object | string)[]>> = {
    start: () => [chunk(ROLE)],
    opening: (data) => [chunk(ROLE, sourcesOf((JSON.parse(data) as AnswerBody).citations))],
    citations: (data) => [chunk({}, sourcesOf((JSON.parse(data) as AnswerBody).citations))],
    delta: (data) => [chunk({ content: (JSON.parse(data) as { text: string }).text })],
    done(data) {
      const { answer, citations, grounding } = JSON.parse(data) as AnswerBody;
      const annotations = annotationsOf({ answer, ...(citations && { citations }) });
      const annotated = citations === undefined || annotations.length === 0 ? [] : [chunk({ annotations })];
      return [...annotated, withUsage(chunk({}, { ...sourcesOf(citations), grounding }, 'stop'), data), '[DONE]'];
    },
    error: (data) => [chatError((JSON.parse(data) as { error: OwnError }).error)],
  };
  // The first chunk has the sources that are known.
  return own
    .replace(/^event: start\n.*\n\nevent: citations$/m, 'event: opening')
    .split('\n\n')
    .map((event) => {
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      const parts = chunks[name]?.(data);
      if (parts === undefined) return event;
      return parts.map((part) => `data: ${typeof part === 'string' ? part : JSON.stringify(part)}`).join('\n\n');
    })
    .join('\n\n');
}

interface OwnError {
  readonly code: number;
  readonly type: string;
  readonly reason: Reason;
  readonly message: string;
  readonly param: string | null;
  readonly retryable: boolean;
  readonly request_id: string | undefined;
  readonly metadata: unknown;
}

/** The body of an error in OpenAI's form. */
export function chatError({ code: status, reason, ...error }: OwnError): object {
  const { message, type, param, retryable, request_id, metadata } = error;
  return { error: { message, type, param, code: reason, status, retryable, request_id, metadata } };
}

/** The header that overrides the retry rule of OpenAI's clients; `undefined` if their rule is right. */
export function shouldRetry(reason: Reason): string | undefined {
  const { status, retryable } = REASONS[reason] as { readonly status: number; readonly retryable: boolean };
  const isRetried = [408, 409, 429].includes(status) || status >= 500;
  return isRetried === retryable ? undefined : String(retryable);
}
