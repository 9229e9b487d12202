import type { JsonSchema } from '../../base/options/read-request-options.js';
import { refTo } from './refs.js';

interface HeaderDescription {
  readonly description: string;
  /** Whether it is in every response that names it. */
  readonly required?: true;
  readonly schema: JsonSchema;
  readonly example?: string;
}

const always = (description: string, schema: JsonSchema): HeaderDescription => ({
  description,
  required: true,
  schema: { type: 'string', ...schema },
});
const sometimes = (description: string, pattern: string, example: string): HeaderDescription => ({
  description,
  schema: { type: 'string', pattern },
  example,
});

/** Every header of ours, by the name it has in the document. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': always('Names this call. Quote it when asking the operator.', { pattern: '^req_' }),
  'X-Content-Type-Options': always('Always `nosniff`.', { const: 'nosniff' }),
  'Cache-Control': always('Whether the response may be kept.', {
    enum: ['no-store', 'no-store, no-transform', 'private, max-age=60'],
  }),
  ETag: always('Send it back in `If-None-Match` to get 304 while nothing has changed.', { pattern: '^".+"$' }),
  'Server-Timing': always('Milliseconds spent in the gateway and at providers.', {
    pattern: String.raw`^gateway;dur=\d+\.\d, upstream;dur=\d+\.\d$`,
  }),
  Allow: always('The methods that work.', {}),
  'X-Accel-Buffering': sometimes('Of a stream: no proxy may hold events back.', '^no$', 'no'),
  'Retry-After': sometimes('Seconds to wait before another try, where they are known.', String.raw`^\d+$`, '1'),
  'X-Should-Retry': sometimes(
    'Whether clients of OpenAI should try again, where the status alone would mislead them.',
    '^(?:true|false)$',
    'false',
  ),
  RateLimit: sometimes(
    'How many requests are left, and in how many seconds there are more: draft-ietf-httpapi-ratelimit-headers-10.',
    String.raw`^"\w+";r=\d+;t=\d+(?:, "\w+";r=\d+;t=\d+)?$`,
    '"key";r=59;t=1',
  ),
  'RateLimit-Policy': sometimes(
    'The rates that hold for the caller: draft-ietf-httpapi-ratelimit-headers-10.',
    String.raw`^"\w+";q=\d+;w=\d+(?:, "\w+";q=\d+;w=\d+)?$`,
    '"key";q=60;w=60',
  ),
  'Idempotent-Replayed': sometimes('Set where the outcome of an earlier call is given again.', '^true$', 'true'),
  'Cache-Status': sometimes(
    'What the cache of the gateway did: RFC 9211.',
    '^searchgate; ',
    'searchgate; hit; ttl=348',
  ),
  Age: sometimes('Seconds since a kept answer was made.', String.raw`^\d+$`, '252'),
  'WWW-Authenticate': sometimes('What the caller has to send.', '.', 'Bearer realm="searchgate"'),
  Accept: sometimes('The type of body that is taken.', '^application/json$', 'application/json'),
  Connection: sometimes('The connection is closed.', '^close$', 'close'),
} satisfies Readonly<Record<string, HeaderDescription>>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** In every response of ours. */
export const COMMON_HEADERS = ['X-Request-Id', 'X-Content-Type-Options', 'Cache-Control'] as const;

/** The headers of a response. */
export function headersOf(names: readonly ResponseHeader[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}
