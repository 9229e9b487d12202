import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthenticatedRequest, GatewayRequest, GatewayResponse, Logger } from '@searchgate/core';
import { systemClock } from '@searchgate/core/ledger';
import { clientAddressBehind, isTrusted, type TrustProxy } from '../trusted-proxies.js';
import { loginPage, redirect } from './login-responses.js';
import { loginTries } from './login-tries.js';
import type { AdminPermission } from './management-tokens.js';
import { type Operator, SHARED_NAME } from './operators.js';
import { isPassword, NO_PASSWORD } from './password.js';

/**
 * Sessions that any process with the same account takes: a signed cookie says when its session ends, and whose it is. Any change of the account ends all of
 * them. A session that was closed stays closed in this process alone; its browser has deleted the cookie.
 */
interface Sessions {
  /** @returns a `Set-Cookie` value. @param isSecure whether the browser used TLS. */
  open(account: Operator, isSecure: boolean): string;
  /** The account of the first open session. @param cookies the `Cookie` header. */
  accountOf(cookies: string | undefined): Operator | undefined;
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
const COOKIES = new RegExp(`(?:^|;\\s*)${NAME}=((\\d{1,15})\\.[\\w-]{22}\\.([\\w-]{2,86}))\\.([\\w-]{43})(?=;|$)`, 'g');

function sign(session: string, { name, passwordHash, role, organizations }: Operator): Buffer {
  const account = JSON.stringify(['sessions of the page for operators', name, role, organizations]);
  const secret = createHmac('sha256', passwordHash).update(account).digest();
  return createHmac('sha256', secret).update(session).digest();
}

/** @param accounts as they are now: their hashes are the secrets of the signatures. @param now in ms. */
export function createSessions(accounts: () => readonly Operator[], now: () => number = Date.now): Sessions {
  const closed = new Set<string>();

  /** The open sessions of a request. */
  const sessionsIn = (cookies = '') =>
    [...cookies.matchAll(COOKIES)].flatMap(([, session = '', endsAtMs = '', name = '', signature = '']) => {
      const account = accounts().find((each) => encoded(each.name) === name);
      if (account === undefined || Number(endsAtMs) <= now() || closed.has(session)) return [];
      const given = Buffer.from(signature, 'base64url');
      const wanted = sign(session, account);
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? [{ session, account }] : [];
    });

  return {
    open(account, isSecure) {
      const random = randomBytes(16).toString('base64url');
      const session = `${now() + SESSION_SECONDS * 1_000}.${random}.${encoded(account.name)}`;
      const value = `${session}.${sign(session, account).toString('base64url')}`;
      return `${NAME}=${value}; Max-Age=${SESSION_SECONDS}; ${ATTRIBUTES}${isSecure ? '; Secure' : ''}`;
    },
    accountOf: (cookies) => sessionsIn(cookies)[0]?.account,
    close(cookies) {
      for (const { session } of sessionsIn(cookies)) {
        closed.add(session);
        const [oldest] = closed;
        if (closed.size > MOST_CLOSED && oldest !== undefined) closed.delete(oldest);
      }
      return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
    },
  };
}

/** A name as a cookie can hold it. */
function encoded(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** Guards a page with passwords. */
export interface Login {
  /** The permission of a request; `null` without a login. */
  authorize(request: Pick<AuthenticatedRequest, 'header'>): AdminPermission | null;
  /** Serves `/login` and `/logout` below the page. @returns `undefined` for every other path. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
}

type HeaderReader = (name: string) => string | undefined;

export interface LoginOptions {
  /** Who may log in, as the accounts are now: with other names than {@link SHARED_NAME}, the form asks for a name. */
  readonly accounts: () => readonly Operator[];
  /** The proxies whose `X-Forwarded-*` headers are believed. */
  readonly trustProxy: () => TrustProxy;
  readonly log: LoginLog;
}

/** The log of logins and failed logins. */
export interface LoginLog extends Pick<Logger, 'warn'> {
  info(fields: object, message: string): void;
}

/** The account in the record of changes. */
function actorOf({ name }: Operator): string {
  return name === SHARED_NAME ? name : `${SHARED_NAME}:${name}`;
}

const BODY = { maxBodyBytes: 4_096, bodyTimeoutMs: 10_000, clock: systemClock };

export function createLogin({ accounts, trustProxy, log }: LoginOptions): Login {
  const sessions = createSessions(accounts);
  // A check takes up to 32 MiB and a fifth of a second: so many guesses are possible, from all addresses together.
  const tryOf = loginTries();

  const asksName = () => accounts().some(({ name }) => name !== SHARED_NAME);
  const form = (status: number, message: string | null) => loginPage(status, message, asksName());

  /** Reads headers of a trusted proxy. */
  function forwardedBy(request: GatewayRequest): HeaderReader {
    const isFromProxy = isTrusted(trustProxy())(request.clientAddress ?? '', 0);
    return (name) => (isFromProxy ? request.header(name) : undefined);
  }

  function refuseTooMany(address: string): GatewayResponse {
    log.warn({ address }, 'too many login attempts');
    return form(429, 'There were too many attempts. Please wait a minute.');
  }

  async function logIn(request: GatewayRequest): Promise<GatewayResponse> {
    const { clientAddress } = request;
    const header = (name: string) => request.header(name);
    const address = clientAddressBehind(trustProxy())({ clientAddress, header }) ?? 'unknown';
    const check = tryOf(address);
    if (check === null) return refuseTooMany(address);
    const { name, password } = await readForm(request);
    if (password === '') return form(400, 'Please enter the password.');
    const account = accounts().find((each) => each.name === name);
    // A wrong name takes as long as a wrong password, so that nobody learns the names.
    const isRight = await check(() => isPassword(password, account?.passwordHash ?? NO_PASSWORD));
    if (isRight === null) return refuseTooMany(address);
    if (!isRight || account === undefined) {
      // What is no name of an account may be a password in the wrong field.
      log.warn({ address, ...(account && { actor: actorOf(account) }) }, 'a login with a wrong password');
      return form(401, asksName() ? 'The name or the password is wrong.' : 'This password is wrong.');
    }
    log.info({ address, actor: actorOf(account) }, 'an operator has logged in to the page');
    return redirect('./', sessions.open(account, isOverTls(request, forwardedBy(request))));
  }

  return {
    authorize(request) {
      const account = sessions.accountOf(request.header('cookie'));
      if (account === undefined) return null;
      const { role, organizations } = account;
      return { role, organizations, actor: actorOf(account) };
    },
    async handle(request) {
      const { path, method } = request;
      if (path !== '/login' && path !== '/logout') return undefined;
      // Other pages must not end a session with a link or an image.
      if (method !== 'POST') return path === '/login' ? form(200, null) : redirect('./');
      if (!isFromOurPage(request, forwardedBy(request))) return form(403, 'Please log in from this page.');
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

/** @returns an empty password without one; the shared account without a name. */
async function readForm(request: GatewayRequest): Promise<{ name: string; password: string }> {
  try {
    const body = await request.readBody(BODY);
    const fields = new URLSearchParams('bytes' in body ? new TextDecoder().decode(body.bytes) : '');
    return { name: fields.get('name')?.trim() || SHARED_NAME, password: fields.get('password') ?? '' };
  } catch {
    // Too long, or incomplete.
    return { name: '', password: '' };
  }
}
