import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Who has logged in, kept in the memory of this process: a restart asks for the password again. */
export interface Sessions {
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
