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

const failing = (reason: UpstreamReason, event: string, cost?: string): ReportedError => ({
  reason,
  event,
  ...(cost !== undefined && { cost }),
});
const INVALID = 'upstream_invalid_response';
const OVERLOADED = failing(
  INVALID,
  named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
);
const streamOf = (model: string, create: RecordedStream['create'], file = 'answer-stream') => ({ model, create, file });

export const RECORDED_STREAMS: readonly RecordedStream[] = [
  {
    ...streamOf('anthropic/claude-sonnet-5-5', anthropic, 'message-stream'),
    evidence: ['"stop_reason":"end_turn"'],
    opening: 22,
    listPrice: '0.082',
    error: OVERLOADED,
  },
  {
    ...streamOf('brave/answers', brave, 'answer'),
    evidence: ['"finish_reason":"stop"'],
    opening: 1,
    listPrice: '0.05',
    error: failing(
      'upstream_rate_limited',
      data({
        type: 'ErrorResponse',
        error: { code: 'RATE_LIMITED', detail: 'Too many requests.', status: 429 },
      }),
    ),
  },
  {
    ...streamOf('deepseek/deepseek-flash', deepseek),
    evidence: ['"stop_reason":"end_turn"'],
    opening: 22,
    listPrice: '0.008',
    error: OVERLOADED,
  },
  {
    ...streamOf('exa/answer', exa),
    evidence: ['"finish_reason":"stop"'],
    opening: 2,
    listPrice: '0.005',
    error: failing(INVALID, `event: error\n${data({ error: 'The service failed.', tag: 'INTERNAL_ERROR' })}`),
  },
  {
    ...streamOf('google/gemini-3.8-flash', google),
    evidence: ['"finishReason":"STOP"', 'clean end'],
    opening: 3,
    isLate: true,
    listPrice: '0.034',
    error: failing(INVALID, data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } })),
  },
  {
    ...streamOf('mistral/mistral-medium-latest', mistral),
    evidence: ['conversation.response.done'],
    opening: 13,
    listPrice: '0.045',
    error: failing(INVALID, named({ type: 'conversation.response.error', message: 'Model unavailable', code: 3_000 })),
  },
  {
    ...streamOf('openai/gpt-6.1-terra', openai),
    evidence: ['response.completed'],
    opening: 16,
    listPrice: '0.046',
    error: failing(
      'upstream_error',
      named({ type: 'error', code: 'server_error', message: 'The server had an error.', param: null }),
    ),
  },
  {
    ...streamOf('openrouter/answer', openrouter),
    evidence: ['"finish_reason":"stop"', '"usage":'],
    opening: 3,
    listPrice: '0.05',
    error: failing(
      'upstream_error',
      data({
        error: { code: 502, message: 'Provider disconnected' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      }),
    ),
  },
  {
    ...streamOf('perplexity/sonar', perplexity),
    evidence: ['response.completed'],
    opening: 8,
    listPrice: '0.004',
    error: failing(
      INVALID,
      data({
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'server_error', message: 'The model failed.' },
          output: [],
          usage: { input_tokens: 2_800, output_tokens: 0, cost: { currency: 'USD', total_cost: 0.0025 } },
        },
      }),
      '0.0025',
    ),
  },
  {
    ...streamOf('valyu/answer', valyu, 'answer'),
    evidence: ['"success":true'],
    opening: 2,
    listPrice: '0.13',
    error: failing(
      INVALID,
      data({ success: false, error: 'It could not be completed', cost: { total_deduction_dollars: 0.012 } }),
      '0.012',
    ),
  },
  {
    ...streamOf('xai/grok-4.3', xai),
    evidence: ['response.completed'],
    opening: 17,
    listPrice: '0.044',
    error: failing(INVALID, named({ type: 'error', code: 'server_error', message: 'The model failed.' })),
  },
  {
    ...streamOf('zai/glm-5.3', zai),
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
