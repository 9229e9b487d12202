import { type Clock, systemClock } from '@searchgate/core/ledger';
import {
  type AnswerOutcome,
  type AskedSearch,
  type CallContext,
  type Citation,
  type JsonFormat,
  type LiveAnswer,
  type Message,
  type ModelRow,
  type OutcomeCost,
  type Provider,
  type ProviderQuestion,
  parseUsd,
  UpstreamError,
  type UpstreamReason,
} from '@searchgate/core/provider-kit';
import { type FakePorts, fakePorts } from './fake-ports.js';

/** How the provider is listed, and what it says first. */
export interface FakeProviderOptions {
  /** First half of the slugs. @default `fake` */
  readonly id?: string | undefined;
  /** The answer models, each with its differences from the default: slug `<id>/answer`, all features of answers, 10 s. @default one model */
  readonly models?: readonly Partial<ModelRow>[] | undefined;
  /** List price of an answer, a search, a page, a unit of documents or a million tokens, decimal USD. @default `0.01` */
  readonly price?: string | undefined;
  /** Measures the waits; give the gateway the same clock. @default the system clock */
  readonly clock?: Clock | undefined;
  /** The first replies, as for {@link FakeProvider.reply}. @default one short text */
  readonly replies?: readonly FakeReplySource[] | undefined;
}

/** What one attempt gives: text, citations, cost, or a failure. */
export interface FakeReply {
  /**
   * The text, or its steps: a string is a part of the stream, a number is a wait in milliseconds, and a promise is awaited. Without a stream
   * the answer takes the same steps and joins all strings. Default: a short text; no text before a `failure`.
   */
  readonly text?: string | readonly (string | number | PromiseLike<unknown>)[] | undefined;
  /** The answer as JSON in place of `text`, for questions with a `responseFormat`. Default: none. */
  readonly json?: unknown;
  /** Default: none. */
  readonly citations?: readonly Citation[] | undefined;
  /** The provider's reported cost: decimal USD, or an adapter's cost with usage. Default: none, so the list price is charged. */
  readonly cost?: string | OutcomeCost | undefined;
  /** Whether the caller's `maxOutputTokens` ended the text, which may then be empty. Default: `false`. */
  readonly truncated?: boolean | undefined;
  /** The failure of the attempt after the steps of `text`. An error is thrown unchanged. */
  readonly failure?: UpstreamReason | Error | undefined;
}

/** A reply, only its text, or a function from the request to the reply. */
export type FakeReplySource = string | FakeReply | ((request: FakeRequest) => string | FakeReply);

/** One attempt at an answer. */
export interface FakeRequest {
  /** Slug of the model. */
  readonly model: string;
  /** As the adapter of a real provider gets it. */
  readonly query: string;
  /** The messages before the query, oldest first; `undefined` for none. */
  readonly earlier: readonly Message[] | undefined;
  /** The form of the JSON that is wanted; `undefined` for text. */
  readonly responseFormat: JsonFormat | undefined;
  /** The system text of the caller; `undefined` for none. */
  readonly instructions: string | undefined;
  /** The caller's limit of the answer in tokens; `undefined` for none. */
  readonly maxOutputTokens: number | undefined;
  /** The search options given to the adapter; `undefined` for none. */
  readonly search: AskedSearch | undefined;
  /** Whether the gateway asked for a stream. */
  readonly isStreamed: boolean;
  /** Aborted when the gateway aborts the attempt. */
  readonly signal: AbortSignal;
}

/** A provider that a test controls. Its models are `<id>/answer`, `<id>/search`, `<id>/extract`, `<id>/rerank` and `<id>/embed`. */
export interface FakeProvider extends Provider, FakePorts {
  /** The questions so far, retries included, in order of arrival. */
  readonly requests: readonly FakeRequest[];
  /** Sets the replies to the next attempts at an answer, in order. The last reply repeats. */
  reply(...replies: readonly FakeReplySource[]): void;
}

const DEFAULT_TEXT = 'A fake answer.';
const ANSWER_FEATURES = ['citations', 'streaming', 'multi_turn', 'json_schema', 'instructions', 'max_output_tokens'];

/** A provider for tests of a host: it gives the replies of the test without a network, and records its requests. */
export function fakeProvider(options: FakeProviderOptions = {}): FakeProvider {
  const { id = 'fake', models = [{}], price = '0.01', clock = systemClock } = options;
  const rowOf = (port: string, unit: string, more: Partial<ModelRow>): ModelRow => ({
    slug: `${id}/${port}`,
    name: id,
    description: 'Replies as a test says.',
    prices: [{ kind: 'flat', [unit]: price, source: 'test', asOf: '2026-11-26', confidence: 'high' }],
    features: [],
    contextLength: null,
    timeoutMs: 10_000,
    ...more,
  });
  const requests: FakeRequest[] = [];
  let replies = options.replies ?? [];

  async function attempt(call: ProviderQuestion, context: CallContext, live?: LiveAnswer): Promise<AnswerOutcome> {
    const request: FakeRequest = {
      model: call.model.slug,
      query: call.query,
      earlier: call.earlier,
      responseFormat: call.responseFormat,
      instructions: call.instructions,
      maxOutputTokens: call.maxOutputTokens,
      search: call.search,
      isStreamed: live !== undefined,
      // A getter, since the gateway creates its signal at the first read.
      get signal() {
        return context.signal;
      },
    };
    requests.push(request);
    const [source = DEFAULT_TEXT, ...later] = replies;
    if (later.length > 0) replies = later;
    const reply = typeof source === 'function' ? source(request) : source;
    return playReply(typeof reply === 'string' ? { text: reply } : reply, { clock, context, live });
  }

  return {
    id,
    name: id,
    models: models.map((model) => rowOf('answer', 'request', { features: ANSWER_FEATURES, ...model })),
    ...fakePorts(rowOf),
    answer: { answer: attempt, stream: attempt },
    requests,
    reply(...next) {
      replies = next;
    },
  };
}

interface Attempt {
  readonly clock: Clock;
  readonly context: CallContext;
  readonly live: LiveAnswer | undefined;
}

async function playReply(reply: FakeReply, { clock, context, live }: Attempt): Promise<AnswerOutcome> {
  const { failure, citations = [], cost = {}, json, truncated = false } = reply;
  const written = json === undefined ? DEFAULT_TEXT : JSON.stringify(json);
  const { text: steps = failure === undefined ? written : [] } = reply;
  let text = '';
  for (const step of typeof steps === 'string' ? [steps] : steps) {
    if (typeof step === 'string') {
      if (text === '') live?.citations(citations);
      text += step;
      live?.text(step);
    } else {
      await waitFor(step, clock, context.signal);
    }
  }
  if (typeof failure === 'string') throw new UpstreamError(failure, { phase: text === '' ? 'headers' : 'body' });
  if (failure !== undefined) throw failure;
  return { text, citations, truncated, cost: typeof cost === 'string' ? { reported: parseUsd(cost) } : cost };
}

/** Waits for milliseconds or a promise, at most until the gateway aborts the attempt. */
function waitFor(step: number | PromiseLike<unknown>, clock: Clock, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = typeof step === 'number' ? clock.schedule(step, () => resolve(null)) : () => undefined;
    if (typeof step !== 'number') step.then(resolve, reject);
    signal.addEventListener('abort', () => {
      cancel();
      reject(new UpstreamError('upstream_timeout', { phase: 'body' }));
    });
  });
}
