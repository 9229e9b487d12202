import type { AuthenticatedRequest, GatewayRequest, GatewayResponse, Logger } from '@searchgate/core';
import { systemClock } from '@searchgate/core/ledger';
import { leastTriedFirst, limitAttempts } from './attempts.js';
import { loginPage, redirect } from './login-responses.js';
import { isPassword } from './password.js';
import { createSessions } from './sessions.js';

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
    return redirect('./', sessions.open(isSecure(request)));
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
function isSecure(request: GatewayRequest): boolean {
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
