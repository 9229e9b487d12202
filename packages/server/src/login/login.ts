import type { AuthenticatedRequest, GatewayRequest, GatewayResponse, Logger } from '@searchgate/core';
import { systemClock } from '@searchgate/core/ledger';
import { limitAttempts } from './attempts.js';
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
  readonly log: LoginLog;
}

/** The part of a log that gets who has logged in and who has failed to. */
export interface LoginLog extends Pick<Logger, 'warn'> {
  info(fields: object, message: string): void;
}

const OPERATOR: Permission = { role: 'operator', organizations: 'all' };
const BODY = { maxBodyBytes: 4_096, bodyTimeoutMs: 10_000, clock: systemClock };

export function createLogin({ passwordHash, log }: LoginOptions): Login {
  const sessions = createSessions();
  const mayTry = limitAttempts();
  /** One look at a time: each takes 32 MiB. */
  let looking: Promise<unknown> = Promise.resolve();

  const isRight = (password: string): Promise<boolean> => {
    const result = looking.then(() => isPassword(password, passwordHash));
    looking = result.catch(() => undefined);
    return result;
  };

  async function logIn(request: GatewayRequest): Promise<GatewayResponse> {
    const { clientAddress: address = 'unknown' } = request;
    if (!isFromOurPage(request)) return loginPage(403, 'Please log in from this page.');
    if (!mayTry(address)) {
      log.warn({ address }, 'passwords of the page are tried too often');
      return loginPage(429, 'There were too many attempts. Please wait a minute.');
    }
    const password = await readPassword(request);
    if (password === null) return loginPage(400, 'Please enter the password.');
    if (!(await isRight(password))) {
      log.warn({ address }, 'a wrong password for the page');
      return loginPage(401, 'This password is wrong.');
    }
    log.info({ address }, 'an operator has logged in to the page');
    return redirect('./', sessions.open(isSecure(request)));
  }

  return {
    authorize: (request) => (sessions.isOpen(request.header('cookie')) ? OPERATOR : null),
    async handle(request) {
      if (request.path === '/logout') return redirect('./login', sessions.close(request.header('cookie')));
      if (request.path !== '/login') return undefined;
      return request.method === 'POST' ? logIn(request) : loginPage(200, null);
    },
  };
}

/** Browsers say where a form was sent from. */
function isFromOurPage(request: GatewayRequest): boolean {
  const site = request.header('sec-fetch-site');
  return site === undefined || site === 'same-origin' || site === 'none';
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
