import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthenticatedRequest, GatewayRequest, GatewayResponse, Logger } from '@searchgate/core';
import { clientGroup, systemClock } from '@searchgate/core/ledger';
import { loginPage, redirect } from './login-responses.js';
import type { AdminPermission } from './management-tokens.js';
import { isPassword } from './password.js';

/**
 * Sessions that any process with the same password takes: a signed cookie says when its session ends. A new password ends all of them. A session that was
 * closed stays closed in this process alone; its browser has deleted the cookie.
 */
interface Sessions {
  /** @returns a `Set-Cookie` value. @param isSecure whether the browser used TLS. */
  open(isSecure: boolean): string;
  /** @param cookies the `Cookie` header. */
  isOpen(cookies: string | undefined): boolean;
  /** Ends the session of a request. @returns a `Set-Cookie` value that deletes the cookie. */
  close(cookies: string | undefined): string;
}

const NAME = 'searchgate_admin';
const SESSION_SECONDS = 12 * 3_600;
/** Above the limit the oldest closed session is forgotten. */
const MOST_CLOSED = 1_000;
/** No path: a browser sends the cookie to the login page's folder and below, even behind a proxy with a prefix. */
const ATTRIBUTES = 'HttpOnly; SameSite=Strict';
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=((\\d{1,15})\\.[\\w-]{22})\\.([\\w-]{43})(?:;|$)`);

/** @param passwordHash the secret of the signatures. @param now in ms. */
export function createSessions(passwordHash: string, now: () => number = Date.now): Sessions {
  const secret = createHmac('sha256', passwordHash).update('sessions of the page for operators').digest();
  const closed = new Set<string>();
  const sign = (session: string) => createHmac('sha256', secret).update(session).digest();

  /** The open session of a request. */
  function sessionIn(cookies = ''): string | undefined {
    const [, session = '', endsAtMs = '', signature = ''] = COOKIE.exec(cookies) ?? [];
    const given = Buffer.from(signature, 'base64url');
    const wanted = sign(session);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    return Number(endsAtMs) > now() && !closed.has(session) ? session : undefined;
  }

  return {
    open(isSecure) {
      const session = `${now() + SESSION_SECONDS * 1_000}.${randomBytes(16).toString('base64url')}`;
      const value = `${session}.${sign(session).toString('base64url')}`;
      return `${NAME}=${value}; Max-Age=${SESSION_SECONDS}; ${ATTRIBUTES}${isSecure ? '; Secure' : ''}`;
    },
    isOpen: (cookies) => sessionIn(cookies) !== undefined,
    close(cookies) {
      const session = sessionIn(cookies);
      if (session !== undefined) closed.add(session);
      const [oldest] = closed;
      if (closed.size > MOST_CLOSED && oldest !== undefined) closed.delete(oldest);
      return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
    },
  };
}

/** The window for counting tries. */
const WINDOW_MS = 60_000;
const MOST_PER_ADDRESS = 10;
/** Above the limit the oldest address is forgotten. */
const MAX_ADDRESSES = 10_000;

/**
 * Counts password tries by address. A limit for all addresses together would let strangers lock the operator out.
 *
 * @param now in ms, monotonic.
 * @returns a function that counts a try and returns the number of earlier tries in this minute; `null` above the limit.
 */
export function limitAttempts(now: () => number = () => performance.now()): (address: string) => number | null {
  const counts = new Map<string, number>();
  let windowEndsMs = 0;

  return (address) => {
    if (now() >= windowEndsMs) {
      counts.clear();
      windowEndsMs = now() + WINDOW_MS;
    }
    const group = clientGroup(address) ?? '';
    const count = counts.get(group) ?? 0;
    if (count >= MOST_PER_ADDRESS) return null;
    const [first] = counts.keys();
    if (count === 0 && counts.size >= MAX_ADDRESSES && first !== undefined) counts.delete(first);
    counts.set(group, count + 1);
    return count;
  };
}

const MOST_WAITING = 20;

/** Runs one task at a time, fewest tries first. @returns a function that resolves with `null` if too many tasks with fewer tries wait. */
export function leastTriedFirst(): <T>(tries: number, work: () => Promise<T>) => Promise<T | null> {
  /** The waiting tasks in the order of their turns. */
  const waiting: { readonly tries: number; begin(mayBegin: boolean): void }[] = [];
  let isBusy = false;

  const turn = (tries: number) =>
    new Promise<boolean>((begin) => {
      waiting.push({ tries, begin });
      waiting.sort((one, other) => one.tries - other.tries);
      for (const each of waiting.splice(MOST_WAITING)) each.begin(false);
    });

  return async (tries, work) => {
    if (isBusy && !(await turn(tries))) return null;
    isBusy = true;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      isBusy = next !== undefined;
      next?.begin(true);
    }
  };
}

/** Guards a page with one password. */
export interface Login {
  /** The permission of a request; `null` without a login. */
  authorize(request: Pick<AuthenticatedRequest, 'header'>): AdminPermission | null;
  /** Serves `/login` and `/logout` below the page. @returns `undefined` for every other path. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
}

export interface LoginOptions {
  readonly passwordHash: string;
  /** The client's address, also behind proxies. */
  readonly addressOf: (request: Pick<AuthenticatedRequest, 'header' | 'clientAddress'>) => string | undefined;
  readonly log: LoginLog;
}

/** The log of logins and failed logins. */
export interface LoginLog extends Pick<Logger, 'warn'> {
  info(fields: object, message: string): void;
}

/** A logged-in operator may do everything. */
const OPERATOR: AdminPermission = { role: 'operator', organizations: 'all', actor: 'page' };
const BODY = { maxBodyBytes: 4_096, bodyTimeoutMs: 10_000, clock: systemClock };

export function createLogin({ passwordHash, addressOf, log }: LoginOptions): Login {
  const sessions = createSessions(passwordHash);
  const triesOf = limitAttempts();
  // A check takes up to 32 MiB and a fifth of a second.
  const look = leastTriedFirst();

  function refuseTooMany(address: string): GatewayResponse {
    log.warn({ address }, 'too many login attempts');
    return loginPage(429, 'There were too many attempts. Please wait a minute.');
  }

  async function logIn(request: GatewayRequest): Promise<GatewayResponse> {
    const { clientAddress } = request;
    const address = addressOf({ clientAddress, header: (name) => request.header(name) }) ?? 'unknown';
    const tries = triesOf(address);
    if (tries === null) return refuseTooMany(address);
    const password = await readPassword(request);
    if (password === null) return loginPage(400, 'Please enter the password.');
    const isRight = await look(tries, () => isPassword(password, passwordHash));
    if (isRight === null) return refuseTooMany(address);
    if (!isRight) {
      log.warn({ address }, 'a login with a wrong password');
      return loginPage(401, 'This password is wrong.');
    }
    log.info({ address }, 'an operator has logged in to the page');
    return redirect('./', sessions.open(isOverTls(request)));
  }

  return {
    authorize: (request) => (sessions.isOpen(request.header('cookie')) ? OPERATOR : null),
    async handle(request) {
      const { path, method } = request;
      if (path !== '/login' && path !== '/logout') return undefined;
      // Other pages must not end a session with a link or an image.
      if (method !== 'POST') return path === '/login' ? loginPage(200, null) : redirect('./');
      if (!isFromOurPage(request)) return loginPage(403, 'Please log in from this page.');
      return path === '/login' ? logIn(request) : redirect('./login', sessions.close(request.header('cookie')));
    },
  };
}

/** Browsers send the origin of a form: always `Origin`, and over TLS `Sec-Fetch-Site`, which proxies do not change. */
function isFromOurPage(request: GatewayRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.header('origin');
  if (origin === undefined) return true;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  return host === request.header('host') || host === request.header('x-forwarded-host');
}

/** A false claim of TLS only harms the caller: the browser will not send the secure cookie back. */
function isOverTls(request: GatewayRequest): boolean {
  return request.header('x-forwarded-proto') === 'https';
}

async function readPassword(request: GatewayRequest): Promise<string | null> {
  try {
    const body = await request.readBody(BODY);
    const text = 'bytes' in body ? new TextDecoder().decode(body.bytes) : '';
    return new URLSearchParams(text).get('password') || null;
  } catch {
    // Too long, or incomplete.
    return null;
  }
}
