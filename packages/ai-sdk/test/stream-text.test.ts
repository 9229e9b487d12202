import type { ServerResponse } from 'node:http';
import { type AnswerAdapter, UpstreamError } from '@searchgate/core/provider-kit';
import { APICallError, generateText, streamText, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { CHECKED, MODEL, mountGateway, OUTCOME, QUESTION } from './mounted-gateway.js';

type Stream = NonNullable<AnswerAdapter['stream']>;

const [FIRST, SECOND] = OUTCOME.citations as [(typeof OUTCOME.citations)[0], (typeof OUTCOME.citations)[0]];

/** Sends the first source, a part of the text, then the rest. */
const inParts: Stream = (_call, _context, live) => {
  live.citations([FIRST]);
  live.text('In May ');
  live.citations([FIRST, SECOND]);
  live.text('2021 [1][2].');
  return Promise.resolve(OUTCOME);
};

/** A server that sends this stream instead of a gateway. */
const eventStream = (text: string) => ({
  front: (_req: unknown, res: ServerResponse) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
    return true;
  },
});
const START = 'event: start\ndata: {"id":"ans_1","model":"exa/answer","provider":"exa"}\n\n';
const DELTA = 'event: delta\ndata: {"text":"In May"}\n\n';
const DONE =
  'event: done\ndata: {"id":"ans_1","model":"exa/answer","provider":"exa","answer":"In May","citations":[],"usage":{"cost":0}}\n\n';

/** Collects the parts of a stream. */
async function partsOf({ stream }: { readonly stream: AsyncIterable<TextStreamPart<ToolSet>> }) {
  const parts: TextStreamPart<ToolSet>[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
const typesOf = (parts: readonly TextStreamPart<ToolSet>[]) => parts.map(({ type }) => type);
const ignoreError = { onError: () => undefined };

describe('an answer of streamText', () => {
  it('arrives in parts, with each source once, and ends with its cost', async () => {
    const { searchgate, requests, charged } = await mountGateway({ stream: inParts });
    const result = streamText({ model: searchgate(MODEL), prompt: QUESTION, temperature: 0 });
    const parts = await partsOf(result);
    expect(typesOf(parts)).toEqual(
      'start start-step source text-start text-delta source text-delta text-end finish-step finish'.split(' '),
    );
    const { response, providerMetadata } = await result.finalStep;
    const { id, modelId, headers } = response;
    expect(parts.filter(({ type }) => type === 'source')).toMatchObject([
      { sourceType: 'url', id: `${id}-1`, url: 'https://example.org/a', title: 'A' },
      { sourceType: 'url', id: `${id}-2`, url: 'https://example.org/b', title: 'B' },
    ]);
    expect(await result.text).toBe(OUTCOME.text);
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: undefined, outputTokens: undefined });
    expect(await result.warnings).toMatchObject([{ type: 'unsupported', feature: 'temperature' }]);
    expect(providerMetadata).toEqual({ searchgate: { answerId: id, provider: 'exa', cost: 0.01 } });
    expect({ id, modelId, headers }).toMatchObject({
      id: expect.stringMatching(/^ans_/),
      modelId: MODEL,
      headers: { 'x-request-id': expect.any(String) },
    });
    expect(requests[0]?.body).toEqual({ model: MODEL, query: QUESTION, stream: true });
    expect(await charged()).toBe('0.01');
  });

  it('says what a check of the citations found, as an answer of generateText does', async () => {
    const answer = () => Promise.resolve(CHECKED);
    const { searchgate } = await mountGateway({ answer, stream: answer });
    const asked = { model: searchgate(MODEL), prompt: QUESTION };
    for (const { providerMetadata } of [await streamText(asked).finalStep, (await generateText(asked)).finalStep])
      expect(providerMetadata).toMatchObject({ searchgate: { grounding: CHECKED.grounding } });
  });

  it('tells where the limit of the output has ended it', async () => {
    const { searchgate } = await mountGateway({
      features: ['max_output_tokens'],
      stream: () => Promise.resolve({ ...OUTCOME, text: '', citations: [], truncated: true }),
    });
    const result = streamText({ model: searchgate(MODEL), prompt: QUESTION, maxOutputTokens: 1 });
    expect([await result.text, await result.finishReason]).toEqual(['', 'length']);
  });

  it('has the text with citation markers in its metadata if they came at the end', async () => {
    const { searchgate } = await mountGateway({
      stream(_call, _context, live) {
        live.text('In May 2021.');
        return Promise.resolve(OUTCOME);
      },
    });
    const result = streamText({ model: searchgate(MODEL), prompt: QUESTION });
    expect(await result.text).toBe('In May 2021.');
    expect((await result.finalStep).providerMetadata?.['searchgate']).toMatchObject({ answer: OUTCOME.text });
    expect(await result.sources).toHaveLength(2);
  });

  it('includes raw events on request', async () => {
    const { searchgate } = await mountGateway({ stream: inParts });
    const parts = await partsOf(
      streamText({ model: searchgate(MODEL), prompt: QUESTION, include: { rawChunks: true } }),
    );
    const raw = parts.flatMap((part) => (part.type === 'raw' ? [part.rawValue as { event: string }] : []));
    expect(raw.map(({ event }) => event)).toEqual(['start', 'citations', 'delta', 'citations', 'delta', 'done']);
  });

  it('ignores comments and unknown events', async () => {
    const { searchgate } = await mountGateway(
      eventStream(`: keep-alive\n\n${START}event: progress\ndata: no JSON\n\n${DELTA}${DONE}`),
    );
    const result = streamText({ model: searchgate(MODEL), prompt: QUESTION });
    expect(await result.text).toBe('In May');
    expect(await result.finishReason).toBe('stop');
  });
});

describe('a stream that fails', () => {
  it('before its first event is an error part', async () => {
    const { searchgate, requests } = await mountGateway({ stream: inParts, credits: '0.001' });
    const errors: unknown[] = [];
    const result = streamText({
      model: searchgate(MODEL),
      prompt: QUESTION,
      onError: ({ error }) => void errors.push(error),
    });
    expect(typesOf(await partsOf(result))).toContain('error');
    expect(errors).toMatchObject([
      { statusCode: 402, isRetryable: false, data: { error: { reason: 'organization_credits_exhausted' } } },
    ]);
    expect(requests).toHaveLength(1);
  });

  it('before its first event is tried again under the same key', async () => {
    const { searchgate, requests, charged } = await mountGateway({
      stream: inParts,
      front(_req, res, count) {
        if (count === 1) res.writeHead(503, { 'retry-after': '0' }).end();
        return count === 1;
      },
    });
    expect(await streamText({ model: searchgate(MODEL), prompt: QUESTION }).text).toBe(OUTCOME.text);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(requests).toHaveLength(2);
    expect(await charged()).toBe('0.01');
  });

  it('keeps the text before an error event, and reports the gateway’s error', async () => {
    const { searchgate, charged } = await mountGateway({
      stream(_call, _context, live) {
        live.text('In May ');
        return Promise.reject(new UpstreamError('upstream_error', { phase: 'body', status: 200 }));
      },
    });
    const result = streamText({ model: searchgate(MODEL), prompt: QUESTION, ...ignoreError });
    const parts = await partsOf(result);
    expect(typesOf(parts)).toEqual(
      'start start-step text-start text-delta text-end error finish-step finish'.split(' '),
    );
    const error = parts.flatMap((part) => (part.type === 'error' ? [part.error] : []))[0];
    if (!APICallError.isInstance(error)) throw error;
    expect(error).toMatchObject({
      statusCode: 502,
      isRetryable: true,
      data: { error: { reason: 'upstream_error', message: error.message } },
    });
    expect(JSON.parse(error.responseBody ?? '')).toEqual(error.data);
    expect(await result.finishReason).toBe('error');
    expect(await charged()).toBe('0');
  });

  it('on a lost connection can be retried, and is charged once', async () => {
    const { searchgate, requests, charged } = await mountGateway({
      stream: inParts,
      front(_req, res, count) {
        // Send all but the last event, then cut the connection.
        if (count === 1) {
          const write = res.write.bind(res) as (chunk: string, sent?: () => void) => boolean;
          res.write = ((chunk: string) => {
            const done = chunk.indexOf('event: done');
            return done < 0 ? write(chunk) : write(chunk.slice(0, done), () => res.destroy());
          }) as typeof res.write;
          res.end = () => res;
        }
        return false;
      },
    });
    const errors: unknown[] = [];
    const result = streamText({
      model: searchgate(MODEL),
      prompt: QUESTION,
      streamRetries: 1,
      onError: ({ error }) => void errors.push(error),
    });
    const parts = await partsOf(result);
    expect(errors).toMatchObject([
      { message: 'The stream ended before the answer was complete.', isRetryable: true, cause: expect.any(Error) },
    ]);
    expect(typesOf(parts)).not.toContain('error');
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(requests).toHaveLength(2);
    expect(await charged()).toBe('0.01');
  });

  it.each([
    ['ends without its last event', START + DELTA, { isRetryable: true, cause: undefined }],
    [
      'has an event that is no JSON',
      `${START}${DELTA}event: delta\ndata: {\n\n`,
      { cause: { name: 'AI_JSONParseError' } },
    ],
    [
      'has an event of another shape',
      `${START}event: delta\ndata: {}\n\n`,
      { cause: { name: 'AI_TypeValidationError' } },
    ],
    ['is no event stream', '<html>', { isRetryable: true }],
  ])('because it %s ends with an error part', async (_name, text, expected) => {
    const { searchgate } = await mountGateway(eventStream(text));
    const parts = await partsOf(streamText({ model: searchgate(MODEL), prompt: QUESTION, ...ignoreError }));
    const errors = parts.flatMap((part) => (part.type === 'error' ? [part.error] : []));
    expect(errors).toMatchObject([{ message: 'The stream ended before the answer was complete.', ...expected }]);
  });

  it('ends with an abort part when aborted', async () => {
    const controller = new AbortController();
    let end = (): void => undefined;
    const { searchgate } = await mountGateway({
      async stream(_call, _context, live) {
        live.text('In May ');
        await new Promise<void>((resolve) => (end = resolve));
        return OUTCOME;
      },
    });
    const result = streamText({ model: searchgate(MODEL), prompt: QUESTION, abortSignal: controller.signal });
    const types: string[] = [];
    for await (const { type } of result.stream) {
      types.push(type);
      if (type === 'text-delta') controller.abort();
    }
    end();
    expect(types).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'abort']);
  });
});
