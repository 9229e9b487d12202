import { ask, type Expectation, type HttpCase, invalid, refused } from '../http-case.js';
import { embed, mismatch, ofPath, tooDear, tooLong, unsupported, wrong } from './capability-case.js';
import { after, named, replayed, TOO_LARGE_TO_KEEP } from './named-call.js';

const charged = (amount: string, more: Partial<Expectation>): Expectation => ({
  status: 200,
  charge: { amount, model: 'stub/embed' },
  ...more,
});
/** @param vectors as JSON, of texts with three tokens each. */
function turned(...vectors: readonly string[]): Expectation {
  const data = vectors.map((vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`);
  const tokens = 3 * vectors.length;
  const usage = `"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens},"cost":0.00${tokens}}`;
  const head = '{"object":"list","id":"<id>","model":"stub/embed","provider":"stub"';
  return charged(`0.00${tokens}`, { body: `${head},"data":[${data.join()}],${usage}}` });
}
const ONE = turned('[0.5,0,0]');
const THREE = turned('[1,0,0]', '[-2,0,0]', '[0.25,0,0]');
const ENCODED = turned('"AAAAPwAAAAAAAAAA"');

const NULLS = { encoding_format: null, input_type: null, user: null, routing: null, tag: null };
const many = (length: number) => Array.from({ length }, (_, at) => `${at + 1}`);
const NO_LIST = 'must be an array of 1 to 2048 texts';
const LENGTHS = { options: ['dimensions'], models: ['stub/embed'] };
const TOKENS = 'must be texts, not tokens: LangChain sends texts with check_embedding_ctx_length=False';
const UNUSABLE = { provider: 'stub', model: 'stub/embed', attempts: 1, upstream_status: 200, phase: 'shape' };
const EVENT = { endpoint: 'embeddings', model: 'stub/embed', cost: 3_000_000n, attempts: 1 } as const;
/** 33 vectors of 2,048 numbers. */
const LONG = embed({ input: many(33), dimensions: undefined, encoding_format: 'base64' });

function tokens(input: unknown): HttpCase {
  const issues = [{ path: 'input', message: TOKENS }];
  const error = invalid('invalid_field', { param: 'input', note: `input ${TOKENS}.`, metadata: { issues } });
  return {
    name: `tells how to send texts: ${JSON.stringify(input)}`,
    request: embed({ input }),
    expect: refused(400, error),
  };
}

/** Rows in which a host can make a difference. */
export const EMBEDDING_TRANSPORT_CASES: readonly HttpCase[] = [
  { name: 'makes a vector, and charges the key', request: embed(), expect: { ...ONE, event: EVENT } },
  ...ofPath('embeddings', embed, ONE),
  ...tooLong('embeddings', embed({ input: 'x'.repeat(1_000) })),
  { name: 'writes a long list of vectors in pieces', request: LONG, expect: charged('0.099', { inPieces: true }) },
  {
    name: 'charges a long list of vectors once, and repeats it not',
    before: after(LONG),
    request: named(LONG),
    expect: TOO_LARGE_TO_KEEP,
  },
];

/** `POST /embeddings`. */
export const EMBEDDING_CASES: readonly HttpCase[] = [
  ...EMBEDDING_TRANSPORT_CASES,
  replayed({ name: 'replays a vector to the last byte, and charges once', request: embed(), expect: ONE }),
  {
    name: 'makes vectors in parts, in the order of the texts',
    request: embed({ input: ['1', '-2', '0.25'] }),
    expect: THREE,
  },
  { name: 'encodes vectors', request: embed({ encoding_format: 'base64' }), expect: ENCODED },
  { name: 'tells the role of texts', request: embed({ input_type: 'search_query' }), expect: turned('[0.5,1,0]') },
  { name: 'takes null for what is not given in embeddings', request: embed(NULLS), expect: ONE },
  { name: 'ignores the user of a call', request: embed({ user: 'u-1' }), expect: ONE },
  tokens([1, 2]),
  tokens([[1, 2]]),
  wrong(embed, { input: undefined }, 'is required: an array of 1 to 2048 texts'),
  wrong(embed, { input: [] }, NO_LIST),
  wrong(embed, { input: many(2_049) }, NO_LIST),
  wrong(embed, { input: '' }, ['input.0', 'must not be empty']),
  wrong(embed, { input: ['1', null] }, ['input.1', 'must be a text']),
  wrong(embed, { encoding_format: 'int8' }, 'must be "float" or "base64"'),
  wrong(embed, { input_type: 'image' }, 'must be "query" or "document"'),
  wrong(embed, { dimensions: 0 }, 'must be at least 1'),
  wrong(embed, { model: undefined }, 'is required: a string such as "openai/text-embedding-3-small"'),
  ...unsupported(embed, 'texts inputs', 'input'),
  ...unsupported(embed, 'output_dimension', 'dimensions'),
  ...unsupported(embed, 'embedding_types', 'encoding_format'),
  ...unsupported(embed, 'task', 'input_type'),
  ...unsupported(embed, 'stream search truncate'),
  mismatch(embed({ model: 'stub/flat' }), 'answer', '/api/v1/answer'),
  {
    ...mismatch(ask({ model: 'stub/embed' }), 'embedding', null),
    name: 'names no path for vectors if it is off',
    gateway: () => ({ endpoints: { embeddings: false } }),
  },
  tooDear(embed({ input: ['1'.repeat(30), '22'] }), 0.011),
  {
    name: 'names models for the length of vectors',
    request: embed({ model: 'stub/embed-plain' }),
    expect: refused(400, invalid('unsupported_option', { param: 'dimensions', metadata: LENGTHS })),
  },
  {
    name: 'answers 502 for a vector that has no numbers',
    request: embed({ input: 'odd' }),
    expect: refused(
      502,
      { type: 'upstream_error', reason: 'upstream_invalid_response', metadata: UNUSABLE },
      { loss: { amount: '0.003', model: 'stub/embed' } },
    ),
  },
  {
    name: 'asks no other model for vectors',
    request: embed({ routing: { fallbacks: ['stub/embed-plain'] } }),
    expect: refused(400, invalid('unsupported_field', { param: 'routing.fallbacks' })),
  },
];
