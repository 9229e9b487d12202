import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GatewayRequest, GatewayResponse } from '@searchgate/core';
import { expectedValue } from '@searchgate/core/administration';
import type { Clock } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { ErrorBody } from './contract.js';
import { Problem } from './problem.js';

/** A request of a permitted user. */
export interface Exchange<Host = unknown> {
  readonly request: GatewayRequest<Host>;
  readonly scope: Scope;
  /** The id in the path; empty without an id. */
  readonly id: string;
  /** The second id in the path, of a part; empty without one. */
  readonly part: string;
  readonly clock: Clock;
}

export type Handler = (exchange: Exchange) => Promise<GatewayResponse> | GatewayResponse;

/** The methods of paths. `GET` changes nothing, the others are for operators. */
export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** The handlers of a path, by method. */
export interface Route extends Partial<Record<(typeof METHODS)[number], Handler>> {
  /** Exempts the route from the time limit, because its work has its own limits. */
  readonly isBounded?: true;
  /** Lets tenants make its changes. Default: operators alone. */
  readonly isOfTenants?: true;
}

/** By path; each `*` stands for an id. */
export type Routes = Readonly<Record<string, Route>>;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Headers of every response to a permitted user. */
export const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A complete response. */
export function respond(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): GatewayResponse {
  return {
    status,
    headers: { ...COMMON_HEADERS, ...headers, 'content-length': String(Buffer.byteLength(body)) },
    body,
  };
}

export function json(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return respond(status, JSON.stringify(value), { ...type, ...headers });
}

/** The rest of a refused body must not be read as the next request. */
const CLOSE = { connection: 'close' };
const UNREAD: ReadonlySet<number> = new Set([408, 413]);

export function problemResponse({ status, message, field }: Problem): GatewayResponse {
  const body: ErrorBody = { error: { message, field } };
  return json(body, status, UNREAD.has(status) ? CLOSE : {});
}

const MAX_BODY_BYTES = 65_536;
const BODY_TIMEOUT_MS = 10_000;

/** Limits for the body of a change. */
export const BODY_LIMITS = { maxBodyBytes: MAX_BODY_BYTES, bodyTimeoutMs: BODY_TIMEOUT_MS };

/**
 * Refuses requests that a page of another site could have sent: forms cannot send JSON, and browsers report a request's origin. A request with a bearer
 * token is of a script: a browser adds no such header by itself, and asks before it sends that of another site.
 *
 * @throws Problem 403, 413, 415.
 */
export function checkChange({ request, scope }: Exchange, { isOfTenants }: Route): void {
  if (scope.role !== 'operator' && !(isOfTenants === true && scope.role === 'tenant'))
    throw new Problem(403, 'Your role may not change this. Ask an operator.');
  const isOfScript = /^bearer /i.test(request.header('authorization') ?? '');
  if (!isOfScript && request.header('sec-fetch-site') !== 'same-origin') {
    throw new Problem(
      403,
      'A change must come from the page itself, over https or on localhost: the header "Sec-Fetch-Site: same-origin" is missing.',
    );
  }
  const [type = '', charset = 'charset=utf-8', ...more] = parametersOf(request.header('content-type') ?? '');
  const isPlain = (request.header('content-encoding') ?? 'identity') === 'identity';
  // A deletion needs no body.
  const isBare = request.method === 'DELETE' && type === '';
  const isJson = type === 'application/json' && /^charset="?utf-?8"?$/.test(charset) && more.length === 0 && isPlain;
  if (!isJson && !isBare) {
    throw new Problem(415, 'A change must be uncompressed application/json in UTF-8.');
  }
  if (Number(request.header('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
}

function parametersOf(header: string): string[] {
  return header.split(';', 3).map((part) => part.trim().toLowerCase());
}

function tooLarge(): Problem {
  return new Problem(413, `A change must be at most ${MAX_BODY_BYTES} bytes.`);
}

/** Reads the body of a change. @throws Problem naming the first invalid field. */
export async function readChange<T>({ request, clock }: Exchange, schema: z.ZodType<T>): Promise<T> {
  const body = await request.readBody({ ...BODY_LIMITS, clock });
  return check(schema, 'bytes' in body ? parseJson(body.bytes) : body.parsed);
}

/** Reads the query string. @throws Problem naming the first invalid or repeated parameter. */
export function readQuery<T>({ request }: Exchange, schema: z.ZodType<T>): T {
  const given = new URLSearchParams(request.query);
  const names = new Set<string>();
  for (const name of given.keys()) {
    // A repeated parameter would be dropped silently.
    if (names.has(name)) throw new Problem(400, 'must be given once', name);
    names.add(name);
  }
  return check(schema, Object.fromEntries(given));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, 'The body is not JSON in UTF-8.');
  }
}

/** The messages of schemas that have none. */
const WORDS = {
  error(issue: z.core.$ZodRawIssue) {
    if (issue.code === 'unrecognized_keys') return 'is no field here';
    return `${issue.input === undefined ? 'is required:' : 'must be'} ${expectedValue(issue)}`;
  },
};

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, WORDS);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const field = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].join('.');
  throw new Problem(400, issue?.message ?? 'This is not valid.', field === '' ? null : field);
}

/** The parameters of a list. */
export const pageFields = {
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be 1 to 1000')
    .transform(Number)
    .default(100),
  cursor: z.string().optional(),
};

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** An empty object. */
export const nothing = z.strictObject({});

/** Decimal USD. The ledger checks the range. */
export const amount = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, 'must be an amount in USD such as "25.00"');

export const signedAmount = z.string().regex(/^-?\d{1,12}(\.\d{1,9})?$/, 'must be an amount in USD such as "-0.25"');

/** ISO 8601 in UTC, from milliseconds since the Unix epoch. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Waits for a promise, but at most `timeoutMs`. Later results and errors are dropped. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, clock: Clock): Promise<T | 'late'> {
  let cancel = (): void => undefined;
  const late = new Promise<'late'>((resolve) => (cancel = clock.schedule(timeoutMs, () => resolve('late'))));
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}

/** How much is read at once. */
const AT_ONCE = 20;

/** Reads something for each, a part of them at once. */
export async function inParts<Of, T>(all: readonly Of[], read: (each: Of) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    // A ledger in SQLite makes all other calls wait.
    if (from > 0) await nextTurn();
    found.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(read))));
  }
  return found;
}
