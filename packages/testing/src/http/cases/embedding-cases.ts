import { ask, type Expectation, type HttpCase, invalid, refused, row } from '../http-case.js';
import { embed, mismatch, ofEveryKind, ofPath, tooDear, tooLong, unsupported, wrong } from './kind-case.js';
import { after, named, replayed, TOO_LARGE_TO_KEEP } from './named-call.js';

/** @param vectors as JSON, of texts with three tokens each. */
function turned(...vectors: readonly string[]): Expectation {
  const data = vectors.map((vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`);
  const tokens = 3 * vectors.length;
  const usage = `"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens},"cost":0.00${tokens}}`;
  const head = '{"object":"list","id":"<id>","model":"stub/embed","provider":"stub"';
  const charge = { amount: `0.00${tokens}`, model: 'stub/embed' };
  return { status: 200, body: `${head},"data":[${data.join()}],${usage}}`, charge };
}
const ONE = turned('[0.5,0,0]');
const THREE = turned('[1,0,0]', '[-2,0,0]', '[0.25,0,0]');

const NULLS = { encoding_format: null, input_type: null, user: 'u-1', routing: null, tag: null };
const many = (length: number) => Array.from({ length }, (_, at) => `${at + 1}`);
const EVENT = { endpoint: 'embeddings', model: 'stub/embed', cost: 3_000_000n, attempts: 1 } as const;
/** A hundred vectors of 2,048 numbers. */
const LONG = embed({ input: many(100), dimensions: undefined, encoding_format: 'base64' });
const IN_PIECES = { status: 200, inPieces: true, charge: { amount: '0.3', model: 'stub/embed' } } as const;
const NO_FALLBACK = refused(400, invalid('unsupported_field', { param: 'routing.fallbacks' }));
const noPath = () => ({ endpoints: { embeddings: false } });

function noTokens(input: unknown): HttpCase {
  const message = 'must be texts, not tokens: LangChain sends texts with check_embedding_ctx_length=False';
  const metadata = { issues: [{ path: 'input', message }] };
  const error = invalid('invalid_field', { param: 'input', note: `input ${message}.`, metadata });
  return row(`tells how to send texts: ${JSON.stringify(input)}`, embed({ input }), refused(400, error));
}

/** Rows in which a host can make a difference. */
export const EMBEDDING_TRANSPORT_CASES: readonly HttpCase[] = [
  row('makes a vector, and charges the key', embed(), { ...ONE, event: EVENT }),
  ...ofPath('embeddings', embed, ONE),
  ...tooLong('embeddings', embed({ input: 'x'.repeat(1_000) })),
  row('writes a long list of vectors in pieces', LONG, IN_PIECES),
  { ...row('repeats no long list of vectors', named(LONG), TOO_LARGE_TO_KEEP), before: after(LONG) },
];

/** `POST /embeddings`. */
export const EMBEDDING_CASES: readonly HttpCase[] = [
  ...EMBEDDING_TRANSPORT_CASES,
  replayed(row('replays a vector to the last byte, and charges once', embed(), ONE)),
  row('makes vectors in parts, in the order of the texts', embed({ input: ['1', '-2', '0.25'] }), THREE),
  row('encodes vectors', embed({ encoding_format: 'base64' }), turned('"AAAAPwAAAAAAAAAA"')),
  row('tells the role of texts', embed({ input_type: 'search_query' }), turned('[0.5,1,0]')),
  row('takes null for what is not given in embeddings', embed(NULLS), ONE),
  row('asks no other model for vectors', embed({ routing: { fallbacks: ['stub/flat'] } }), NO_FALLBACK),
  noTokens([1, 2]),
  noTokens([[1, 2]]),
  wrong(embed, { input: undefined }, 'is required: an array of 1 to 2048 texts'),
  wrong(embed, { input: many(2_049) }, 'must be an array of 1 to 2048 texts'),
  wrong(embed, { input: '' }, ['input.0', 'must not be empty']),
  wrong(embed, { input: ['1', null] }, ['input.1', 'must be a text']),
  wrong(embed, { encoding_format: 'int8' }, 'must be "float" or "base64"'),
  wrong(embed, { dimensions: 0 }, 'must be at least 1'),
  ...unsupported(embed, 'texts', 'input'),
  ...unsupported(embed, 'output_dimension', 'dimensions'),
  ...unsupported(embed, 'task', 'input_type'),
  ...unsupported(embed, 'search truncate'),
  ...ofEveryKind(embed, ONE),
  mismatch(embed({ model: 'stub/flat' }), 'answer', '/api/v1/answer'),
  { ...mismatch(ask({ model: 'stub/embed' }), 'embedding', null), name: 'names no path that is off', gateway: noPath },
  tooDear(embed({ input: ['1'.repeat(30), '22'] }), 0.048),
];
