import type { Category, GatewayOptions } from '@searchgate/core';
import { badRequest, type CaseRequest, type Expectation, type HttpCase, invalid, refused, row } from '../http-case.js';
import { ADDRESSES } from '../stub-pages.js';

type Fields = Readonly<Record<string, unknown>>;
/** A valid request to a path of models, with the given fields changed. */
export interface Ask {
  (fields?: Fields): CaseRequest;
  /** All fields of the path, as its errors name them. */
  readonly fields: string;
}

export function askOf(path: string, valid: Fields, fields: string): Ask {
  const ask = (changed?: Fields) => ({
    method: 'POST' as const,
    target: `/api/v1/${path}`,
    json: { ...valid, ...changed },
  });
  return Object.assign(ask, { fields });
}

/** A valid request to `POST /search`. */
export const find = askOf(
  'search',
  { model: 'stub/find', query: 'When did it open?' },
  'model, query, max_results, include_content, max_content_characters, tag, search, routing',
);
/** A valid request to `POST /extract`. */
export const read = askOf(
  'extract',
  { model: 'stub/read', urls: [ADDRESSES.page] },
  'model, urls, format, max_characters, tag, routing',
);
/** A valid request to `POST /embeddings`. */
export const embed = askOf(
  'embeddings',
  { model: 'stub/embed', input: '0.5', dimensions: 3 },
  'model, input, encoding_format, dimensions, input_type, tag, routing',
);

/** The name of a path in `endpoints`. */
type PathName = keyof NonNullable<GatewayOptions['endpoints']>;

/** A wrong value of a field. @param fault the message, with the path of the field where it is within the given field. */
export function wrong(
  request: Ask,
  fields: Fields,
  fault: string | readonly [path: string, message: string],
): HttpCase {
  const [field = ''] = Object.keys(fields);
  const [path, message] = typeof fault === 'string' ? [field, fault] : fault;
  const name = `refuses ${path}: ${JSON.stringify(fields[field] ?? 'absent').slice(0, 60)} on ${request().target}`;
  const error = invalid('invalid_field', { param: path, metadata: { issues: [{ path, message }] } });
  return { name, request: request(fields), expect: refused(400, error) };
}

/** Fields that are refused by their names. @param replacement the field to use instead; `undefined` where there is none. */
export function unsupported(request: Ask, names: string, replacement?: string): HttpCase[] {
  const { target } = request();
  return names.split(' ').map((param) => {
    const leaveOut = `Leave out ${param}. The fields are ${request.fields}.`;
    const note = replacement === undefined ? leaveOut : `In place of ${param}, use ${replacement}.`;
    const name = `refuses ${param}, which is no field of ${target}`;
    return row(name, request({ [param]: 5 }), badRequest('unsupported_field', { param, note }));
  });
}

const NOTHING = { stream: false, store: false, background: false, include_citations: false, n: 1 };
/** Fields that are taken everywhere, and names that are refused everywhere. */
export function ofEveryKind(request: Ask, expect: Expectation): HttpCase[] {
  const fields = { ...NOTHING, user: 'u-1', temperature: 0.2, x_trace: 'a', deadline: null };
  return [
    row(`ignores what asks for nothing of ${request().target}`, request(fields), expect),
    ...unsupported(request, 'idempotency_key', 'the header Idempotency-Key'),
    ...unsupported(request, 'cache', 'the header Cache-Control'),
    ...unsupported(request, 'policy', 'routing.require'),
    ...unsupported(request, 'stream background webhook_url deadline store'),
  ];
}

/** A model that another path serves. */
export function mismatch(request: CaseRequest, category: Category, path: string | null): HttpCase {
  const error = invalid('model_category_mismatch', { param: 'model', metadata: { category, path } });
  const name = `names the path of a model of category ${category}, sent to ${request.target}`;
  return { name, request, expect: refused(400, error) };
}

/** A call that is refused for lack of money before any provider is asked. */
export function tooDear(request: CaseRequest, required: number): HttpCase {
  const metadata = { limit: 0.001, usage: 0, required, limit_reset: null, resets_at: null };
  const error = { type: 'insufficient_credits', reason: 'organization_credits_exhausted', metadata } as const;
  const name = `holds the price of all that is asked of ${request.target}, and asks nobody who cannot pay it`;
  return { name, request: { ...request, key: 'poor' }, expect: refused(402, error, { event: { attempts: 0 } }) };
}

/** A call whose provider fails. */
export function failed(request: CaseRequest, model: string): HttpCase {
  const metadata = { provider: 'stub', model, attempts: 1, upstream_status: 500, phase: 'headers' };
  const error = { type: 'upstream_error', reason: 'upstream_error', metadata } as const;
  const name = `answers 502 when ${model} fails, and charges nothing`;
  return { name, request, expect: refused(502, error, { event: { cost: null, attempts: 1 } }) };
}

/** The path left to the host, its methods, and a request without a model where the path has a default. */
export function ofPath(name: PathName, request: Ask, expect: Expectation): readonly HttpCase[] {
  const { target, json } = request();
  const { model: defaultModel } = json as { readonly model: string };
  const off = () => ({ endpoints: { [name]: false } });
  const withDefault = () => ({ endpoints: { [name]: { defaultModel } } });
  const get = { target, key: null };
  const notAllowed = invalid('method_not_allowed', { metadata: { allow: ['POST'] } });
  return [
    { ...row(`leaves ${target} to the host if off`, request(), { status: 404, by: 'host' }), gateway: off },
    { name: `refuses GET on ${target} for every caller`, request: get, expect: refused(405, notAllowed) },
    { ...row(`takes the default model of ${target}`, request({ model: undefined }), expect), gateway: withDefault },
  ];
}

/** A request that is longer than the path takes, by its bytes and by the characters of its texts. */
export function tooLong(name: PathName, request: CaseRequest): readonly HttpCase[] {
  const { target } = request;
  const limited = (limit: object) => () => ({ endpoints: { [name]: limit } });
  const tooLarge = (metadata: object) => refused(413, invalid('request_too_large', { metadata }));
  const body = { ...tooLarge({ max_body_bytes: 1_000 }), headers: { connection: 'close' } };
  const texts = tooLarge({ max_input_characters: 999 });
  return [
    { ...row(`refuses a body too large for ${target}`, request, body), gateway: limited({ maxBodyBytes: 1_000 }) },
    { ...row(`refuses texts too long for ${target}`, request, texts), gateway: limited({ maxInputCharacters: 999 }) },
  ];
}
