import { type Params, queryOf } from './address.js';

/** A failed request to the page's server. The message tells a person how to continue. */
export class ApiError extends Error {
  /** HTTP status; `null` if the server could not be reached. */
  readonly status: number | null;
  /** The invalid field of the request, by its name in the contract. */
  readonly field: string | null;

  constructor(
    message: string,
    { status = null, field = null }: { status?: number | null; field?: string | null } = {},
  ) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** Values that are `null`, `undefined` or empty are omitted. */
export type Query = Params;

/** A path below the page, with its query. */
export function apiUrl(path: string, query: Query = {}): string {
  return `api/v1/${path}${queryOf(query)}`;
}

/** @throws ApiError */
export function getJson<T>(path: string, query?: Query): Promise<T> {
  return request<T>(apiUrl(path, query), { headers: { accept: 'application/json' } });
}

/** Makes a change. @throws ApiError */
export function sendJson<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body: object): Promise<T> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return request<T>(apiUrl(path), { method, headers, body: JSON.stringify(body) });
}

/** Longer than the server waits for its storage. */
const TIMEOUT_MS = 60_000;

async function request<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    // The host redirects to its login, whose page must not be read as the reply.
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    throw new ApiError('The server cannot be reached. Check your connection, then try again.');
  }
  const body = (await response.json().catch(() => null)) as unknown;
  if (response.ok && body !== null) return body as T;
  throw errorOf(response.status, body);
}

/** The error for a reply of the page's server. */
export function errorOf(status: number, body: unknown): ApiError {
  const error = (body as { error?: { message?: unknown; field?: unknown } } | null)?.error;
  const field = typeof error?.field === 'string' ? error.field : null;
  if (typeof error?.message === 'string') return new ApiError(error.message, { status, field });
  if (status === 0 || status === 401 || status === 404) {
    return new ApiError('You are signed out, or this is not yours to see. Reload the page to sign in.', { status });
  }
  return new ApiError(`The server answered with status ${status}. Try again, and look at its log.`, { status });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
