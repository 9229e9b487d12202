import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthenticatedRequest, GatewayRequest, GatewayResponse, Logger } from '@searchgate/core';
import { clientGroup, systemClock } from '@searchgate/core/ledger';
import { loginPage, redirect } from './login-responses.js';
import { isPassword } from './password.js';

/** Who has logged in, kept in the memory of this process: a restart asks for the password again. */
interface Sessions {
  /** @returns a `Set-Cookie` value. @param isSecure whether the browser came over TLS. */
  open(isSecure: boolean): string;
  /** @param cookies the `Cookie` header. */
  isOpen(cookies: string | undefined): boolean;
  /** Ends the session of a request. @returns a `Set-Cookie` value that takes the cookie away. */
  close(cookies: string | undefined): string;
}

const NAME = 'searchgate_admin';
const SESSION_SECONDS = 12 * 3_600;
/** The oldest ends when there are more. */
const MOST_SESSIONS = 100;
/** Without a path: a browser sends it to where the login page is, and below, also behind a proxy with a prefix. */
const ATTRIBUTES = 'HttpOnly; SameSite=Strict';
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})\\.([\\w-]{43})(?:;|$)`);

/** @param now in ms. */
export function createSessions(now: () => number = Date.now): Sessions {
  const secret = randomBytes(32);
  const endsAtMs = new Map<string, number>();
  const sign = (id: string) => createHmac('sha256', secret).update(id).digest();

  /** The session a request names, where it was signed here. */
  function idIn(cookies = ''): string | undefined {
    const [, id = '', signature = ''] = COOKIE.exec(cookies) ?? [];
    const given = Buffer.from(signature, 'base64url');
    const wanted = sign(id);
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? id : undefined;
  }

  return {
    open(isSecure) {
      const id = randomBytes(32).toString('base64url');
      const [oldest] = endsAtMs.keys();
      if (endsAtMs.size >= MOST_SESSIONS && oldest !== undefined) endsAtMs.delete(oldest);
      endsAtMs.set(id, now() + SESSION_SECONDS * 1_000);
      const value = `${id}.${sign(id).toString('base64url')}`;
      return `${NAME}=${value}; Max-Age=${SESSION_SECONDS}; ${ATTRIBUTES}${isSecure ? '; Secure' : ''}`;
    },
    isOpen(cookies) {
      const id = idIn(cookies);
      return id !== undefined && (endsAtMs.get(id) ?? 0) > now();
    },
    close(cookies) {
      const id = idIn(cookies);
      if (id !== undefined) endsAtMs.delete(id);
      return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
    },
  };
}

/** How often passwords may be tried, in a minute. */
const WINDOW_MS = 60_000;
const MOST_PER_ADDRESS = 10;
/** The one that came first is forgotten where there are more. */
const MAX_ADDRESSES = 10_000;

/**
 * Counts tries of passwords by address. There is no limit for all addresses together: strangers could keep the operator out with it.
 *
 * @param now in ms, monotonic.
 * @returns a function that counts a try, and says how many there were before it in this minute; `null` where it is one too many.
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

/** Does one piece of work at a time. @returns a function that gives `null` for work that is not done, since too much waits that has been tried less. */
export function leastTriedFirst(): <T>(tries: number, work: () => Promise<T>) => Promise<T | null> {
  /** Who waits, in the order of their turns. */
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

/** What someone who has logged in may do: all there is. */
interface Permission {
  readonly role: 'operator';
  readonly organizations: 'all';
}

/** Guards a page by one password. */
export interface Login {
  /** Who a request comes from; `null` for anyone who has not logged in. */
  authorize(request: Pick<AuthenticatedRequest, 'header'>): Permission | null;
  /** Serves `/login` and `/logout` below the page. @returns `undefined` for every other path. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
}

export interface LoginOptions {
  readonly passwordHash: string;
  /** The address a request came from, behind proxies too. */
  readonly addressOf: (request: Pick<AuthenticatedRequest, 'header' | 'clientAddress'>) => string | undefined;
  readonly log: LoginLog;
}

/** The part of a log that gets who has logged in and who has failed to. */
export interface LoginLog extends Pick<Logger, 'warn'> {
  info(fields: object, message: string): void;
}

const OPERATOR: Permission = { role: 'operator', organizations: 'all' };
const BODY = { maxBodyBytes: 4_096, bodyTimeoutMs: 10_000, clock: systemClock };

export function createLogin({ passwordHash, addressOf, log }: LoginOptions): Login {
  const sessions = createSessions();
  const triesOf = limitAttempts();
  // A look may take 32 MiB and a fifth of a second.
  const look = leastTriedFirst();

  function refuseTooMany(address: string): GatewayResponse {
    log.warn({ address }, 'passwords of the page are tried too often');
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
      log.warn({ address }, 'a wrong password for the page');
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
      // A link or an image on another page must end no session.
      if (method !== 'POST') return path === '/login' ? loginPage(200, null) : redirect('./');
      if (!isFromOurPage(request)) return loginPage(403, 'Please log in from this page.');
      return path === '/login' ? logIn(request) : redirect('./login', sessions.close(request.header('cookie')));
    },
  };
}

/** Browsers say where a form was sent from: all with `Origin`, and over TLS with `Sec-Fetch-Site`, which no proxy changes. */
function isFromOurPage(request: GatewayRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.header('origin');
  if (origin === undefined) return true;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  return host === request.header('host') || host === request.header('x-forwarded-host');
}

/** A caller that says so without TLS gets a cookie which its browser does not send back. */
function isOverTls(request: GatewayRequest): boolean {
  return request.header('x-forwarded-proto') === 'https';
}

async function readPassword(request: GatewayRequest): Promise<string | null> {
  try {
    const body = await request.readBody(BODY);
    const text = 'bytes' in body ? new TextDecoder().decode(body.bytes) : '';
    return new URLSearchParams(text).get('password') || null;
  } catch {
    // Too long, or not whole.
    return null;
  }
}
