import type { Provider, UpstreamReason } from '../src/provider-kit/index.js';
import {
  anthropic,
  brave,
  deepseek,
  exa,
  google,
  mistral,
  openai,
  openrouter,
  perplexity,
  valyu,
  xai,
  zai,
} from '../src/providers/index.js';
import { streamsIn } from './ask-once.js';

/** One recorded stream of each provider that streams. */
export interface RecordedStream {
  readonly model: string;
  readonly create: (settings: { apiKey: string; baseUrl: string }) => Provider;
  /** File name among the provider's fixtures. */
  readonly file: string;
  /** The evidence of completeness, as for `providerConformance`: texts of events, and `clean end` if a stream has no last event. */
  readonly evidence: readonly string[];
  /** The event that delivers the first text: if it is the first event, nothing can fail between head and text. */
  readonly opening: number;
  /** Whether citation markers come only at the end. */
  readonly isLate?: true;
  /** Price of a call with an unknown result, in USD on 2026-11-21. */
  readonly listPrice: string;
  readonly error: ReportedError;
}

/** The provider's form of an error in a stream. */
interface ReportedError {
  readonly event: string;
  readonly reason: UpstreamReason;
  /** The reported cost in USD, if any. */
  readonly cost?: string;
}

const data = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const named = ({ type, ...fields }: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${type}\n${data({ type, ...fields })}`;

const OVERLOADED: ReportedError = {
  event: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  reason: 'upstream_invalid_response',
};

export const RECORDED_STREAMS: readonly RecordedStream[] = [
  {
    model: 'anthropic/claude-sonnet-5-5',
    create: anthropic,
    file: 'message-stream',
    evidence: ['"stop_reason":"end_turn"'],
    opening: 22,
    listPrice: '0.082',
    error: OVERLOADED,
  },
  {
    model: 'brave/answers',
    create: brave,
    file: 'answer',
    evidence: ['"finish_reason":"stop"'],
    opening: 1,
    listPrice: '0.05',
    error: {
      event: data({
        type: 'ErrorResponse',
        error: { code: 'RATE_LIMITED', detail: 'Too many requests.', status: 429 },
      }),
      reason: 'upstream_rate_limited',
    },
  },
  {
    model: 'deepseek/deepseek-flash',
    create: deepseek,
    file: 'answer-stream',
    evidence: ['"stop_reason":"end_turn"'],
    opening: 22,
    listPrice: '0.008',
    error: OVERLOADED,
  },
  {
    model: 'exa/answer',
    create: exa,
    file: 'answer-stream',
    evidence: ['"finish_reason":"stop"'],
    opening: 2,
    listPrice: '0.005',
    error: {
      event: `event: error\n${data({ error: 'The service failed.', tag: 'INTERNAL_ERROR' })}`,
      reason: 'upstream_invalid_response',
    },
  },
  {
    model: 'google/gemini-3.8-flash',
    create: google,
    file: 'answer-stream',
    evidence: ['"finishReason":"STOP"', 'clean end'],
    opening: 3,
    isLate: true,
    listPrice: '0.034',
    error: {
      event: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
      reason: 'upstream_invalid_response',
    },
  },
  {
    model: 'mistral/mistral-medium-latest',
    create: mistral,
    file: 'answer-stream',
    evidence: ['conversation.response.done'],
    opening: 13,
    listPrice: '0.045',
    error: {
      event: named({ type: 'conversation.response.error', message: 'Model unavailable', code: 3_000 }),
      reason: 'upstream_invalid_response',
    },
  },
  {
    model: 'openai/gpt-6.1-terra',
    create: openai,
    file: 'answer-stream',
    evidence: ['response.completed'],
    opening: 16,
    listPrice: '0.046',
    error: {
      event: named({ type: 'error', code: 'server_error', message: 'The server had an error.', param: null }),
      reason: 'upstream_error',
    },
  },
  {
    model: 'openrouter/answer',
    create: openrouter,
    file: 'answer-stream',
    evidence: ['"finish_reason":"stop"', '"usage":'],
    opening: 3,
    listPrice: '0.05',
    error: {
      event: data({
        error: { code: 502, message: 'Provider disconnected' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      }),
      reason: 'upstream_error',
    },
  },
  {
    model: 'perplexity/sonar',
    create: perplexity,
    file: 'answer-stream',
    evidence: ['response.completed'],
    opening: 8,
    listPrice: '0.004',
    error: {
      event: data({
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'server_error', message: 'The model failed.' },
          output: [],
          usage: { input_tokens: 2_800, output_tokens: 0, cost: { currency: 'USD', total_cost: 0.0025 } },
        },
      }),
      reason: 'upstream_invalid_response',
      cost: '0.0025',
    },
  },
  {
    model: 'valyu/answer',
    create: valyu,
    file: 'answer',
    evidence: ['"success":true'],
    opening: 2,
    listPrice: '0.13',
    error: {
      event: data({ success: false, error: 'It could not be completed', cost: { total_deduction_dollars: 0.012 } }),
      reason: 'upstream_invalid_response',
      cost: '0.012',
    },
  },
  {
    model: 'xai/grok-4.3',
    create: xai,
    file: 'answer-stream',
    evidence: ['response.completed'],
    opening: 17,
    listPrice: '0.044',
    error: {
      event: named({ type: 'error', code: 'server_error', message: 'The model failed.' }),
      reason: 'upstream_invalid_response',
    },
  },
  {
    model: 'zai/glm-5.3',
    create: zai,
    file: 'answer-stream',
    evidence: ['"finish_reason":"stop"'],
    opening: 4,
    listPrice: '0.02',
    error: { event: data({ error: { code: '1302', message: 'Too many requests.' } }), reason: 'upstream_rate_limited' },
  },
];

export function providerOf({ model }: Pick<RecordedStream, 'model'>): string {
  return model.slice(0, model.indexOf('/'));
}

/** Each event with its final empty line. */
export function eventsOf(stream: Pick<RecordedStream, 'model' | 'file'>): string[] {
  const text = streamsIn(`${import.meta.dirname}/../src/providers/${providerOf(stream)}`)(stream.file);
  return text.split(/(?<=\r?\n\r?\n)/);
}
