import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthenticatedRequest, GatewayRequest, GatewayResponse, Logger } from '@searchgate/core';
import { systemClock } from '@searchgate/core/ledger';
import { clientAddressBehind, isTrusted, type TrustProxy } from '../trusted-proxies.js';
import { loginPage, redirect } from './login-responses.js';
import { loginTries } from './login-tries.js';
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
  /** Ends the sessions of a request. @returns a `Set-Cookie` value that deletes the cookie. */
  close(cookies: string | undefined): string;
}

const NAME = 'searchgate_admin';
const SESSION_SECONDS = 12 * 3_600;
/** Above the limit the oldest closed session is forgotten. */
const MOST_CLOSED = 1_000;
/** No path: a browser sends the cookie to the login page's folder and below, even behind a proxy with a prefix. */
const ATTRIBUTES = 'HttpOnly; SameSite=Strict';
/** Others can set cookies of the same name, in front of ours: all are read. */
const COOKIES = new RegExp(`(?:^|;\\s*)${NAME}=((\\d{1,15})\\.[\\w-]{22})\\.([\\w-]{43})(?=;|$)`, 'g');

/** @param passwordHash the secret of the signatures. @param now in ms. */
export function createSessions(passwordHash: string, now: () => number = Date.now): Sessions {
  const secret = createHmac('sha256', passwordHash).update('sessions of the page for operators').digest();
  const closed = new Set<string>();
  const sign = (session: string) => createHmac('sha256', secret).update(session).digest();

  /** The open sessions of a request. */
  const sessionsIn = (cookies = '') =>
    [...cookies.matchAll(COOKIES)].flatMap(([, session = '', endsAtMs = '', signature = '']) => {
      const given = Buffer.from(signature, 'base64url');
      const wanted = sign(session);
      const isSigned = given.length === wanted.length && timingSafeEqual(given, wanted);
      return isSigned && Number(endsAtMs) > now() && !closed.has(session) ? [session] : [];
    });

  return {
    open(isSecure) {
      const session = `${now() + SESSION_SECONDS * 1_000}.${randomBytes(16).toString('base64url')}`;
      const value = `${session}.${sign(session).toString('base64url')}`;
      return `${NAME}=${value}; Max-Age=${SESSION_SECONDS}; ${ATTRIBUTES}${isSecure ? '; Secure' : ''}`;
    },
    isOpen: (cookies) => sessionsIn(cookies).length > 0,
    close(cookies) {
      for (const session of sessionsIn(cookies)) {
        closed.add(session);
        const [oldest] = closed;
        if (closed.size > MOST_CLOSED && oldest !== undefined) closed.delete(oldest);
      }
      return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
    },
  };
}

/** Guards a page with one password. */
export interface Login {
  /** The permission of a request; `null` without a login. */
  authorize(request: Pick<AuthenticatedRequest, 'header'>): AdminPermission | null;
  /** Serves `/login` and `/logout` below the page. @returns `undefined` for every other path. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
}

type HeaderReader = (name: string) => string | undefined;

export interface LoginOptions {
  readonly passwordHash: string;
  /** The proxies whose `X-Forwarded-*` headers are believed. */
  readonly trustProxy: () => TrustProxy;
  readonly log: LoginLog;
}

/** The log of logins and failed logins. */
export interface LoginLog extends Pick<Logger, 'warn'> {
  info(fields: object, message: string): void;
}

/** A logged-in operator may do everything. */
const OPERATOR: AdminPermission = { role: 'operator', organizations: 'all', actor: 'page' };
const BODY = { maxBodyBytes: 4_096, bodyTimeoutMs: 10_000, clock: systemClock };

export function createLogin({ passwordHash, trustProxy, log }: LoginOptions): Login {
  const sessions = createSessions(passwordHash);
  // A check takes up to 32 MiB and a fifth of a second: so many guesses are possible, from all addresses together.
  const tryOf = loginTries();

  /** Reads headers of a trusted proxy. */
  function forwardedBy(request: GatewayRequest): HeaderReader {
    const isFromProxy = isTrusted(trustProxy())(request.clientAddress ?? '', 0);
    return (name) => (isFromProxy ? request.header(name) : undefined);
  }

  function refuseTooMany(address: string): GatewayResponse {
    log.warn({ address }, 'too many login attempts');
    return loginPage(429, 'There were too many attempts. Please wait a minute.');
  }

  async function logIn(request: GatewayRequest): Promise<GatewayResponse> {
    const { clientAddress } = request;
    const header = (name: string) => request.header(name);
    const address = clientAddressBehind(trustProxy())({ clientAddress, header }) ?? 'unknown';
    const check = tryOf(address);
    if (check === null) return refuseTooMany(address);
    const password = await readPassword(request);
    if (password === null) return loginPage(400, 'Please enter the password.');
    const isRight = await check(() => isPassword(password, passwordHash));
    if (isRight === null) return refuseTooMany(address);
    if (!isRight) {
      log.warn({ address }, 'a login with a wrong password');
      return loginPage(401, 'This password is wrong.');
    }
    log.info({ address }, 'an operator has logged in to the page');
    return redirect('./', sessions.open(isOverTls(request, forwardedBy(request))));
  }

  return {
    authorize: (request) => (sessions.isOpen(request.header('cookie')) ? OPERATOR : null),
    async handle(request) {
      const { path, method } = request;
      if (path !== '/login' && path !== '/logout') return undefined;
      // Other pages must not end a session with a link or an image.
      if (method !== 'POST') return path === '/login' ? loginPage(200, null) : redirect('./');
      if (!isFromOurPage(request, forwardedBy(request))) return loginPage(403, 'Please log in from this page.');
      return path === '/login' ? logIn(request) : redirect('./login', sessions.close(request.header('cookie')));
    },
  };
}

/** Browsers send the origin of a form: always `Origin`, and over TLS `Sec-Fetch-Site`, which proxies do not change. */
function isFromOurPage(request: GatewayRequest, forwarded: HeaderReader): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.header('origin');
  if (origin === undefined) return true;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  return host === request.header('host') || host === forwarded('x-forwarded-host');
}

/** Whether the browser used TLS, by its own word or that of a trusted proxy. */
function isOverTls(request: GatewayRequest, forwarded: HeaderReader): boolean {
  return request.header('origin')?.startsWith('https:') === true || forwarded('x-forwarded-proto') === 'https';
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
