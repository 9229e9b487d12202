/** A request to the page's server that failed. Its message says what a person can do. */
export class ApiError extends Error {
  /** HTTP status; `null` where the server could not be reached. */
  readonly status: number | null;
  /** The field of the request at fault, by its name in the contract. */
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

/** Values that are `null`, `undefined` or empty are left out. */
export type Query = Readonly<Record<string, string | null | undefined>>;

/** A path below the page, with its query. */
export function apiUrl(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return `api/${path}${text === '' ? '' : `?${text}`}`;
}

/** @throws ApiError */
export function getJson<T>(path: string, query?: Query): Promise<T> {
  return request<T>(apiUrl(path, query), { headers: { accept: 'application/json' } });
}

/** @throws ApiError */
export function postJson<T>(path: string, body: object): Promise<T> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return request<T>(apiUrl(path), { method: 'POST', headers, body: JSON.stringify(body) });
}

async function request<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    // A redirect leads to the login of the host: its page is not what was asked for.
    response = await fetch(url, { ...init, redirect: 'manual' });
  } catch {
    throw new ApiError('The server cannot be reached. Check your connection, then try again.');
  }
  const body = (await response.json().catch(() => null)) as unknown;
  if (response.ok && body !== null) return body as T;
  throw errorOf(response.status, body);
}

/** The error that a reply of the page's server stands for. */
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
