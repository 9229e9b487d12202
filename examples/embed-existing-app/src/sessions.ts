import { randomBytes } from 'node:crypto';
import type { User } from './users.js';

/** Who is logged in. */
export interface Sessions {
  /** Begins a session. @returns the value of the `Set-Cookie` header. */
  begin(user: User): string;
  /** The user of the session in a `Cookie` header. */
  userOf(cookies: string | undefined): User | undefined;
  /** Ends the session in a `Cookie` header. @returns the value of the `Set-Cookie` header. */
  end(cookies: string | undefined): string;
}

const COOKIE = 'sid';
/** Lax: the browser sends no cookie along with a POST from another site, so nobody else's page can spend a user's credits. */
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax';

/** Keeps sessions in memory, under ids nobody can guess. */
export function createSessions(): Sessions {
  const users = new Map<string, User>();
  return {
    begin(user) {
      const id = randomBytes(32).toString('base64url');
      users.set(id, user);
      return `${COOKIE}=${id}; ${ATTRIBUTES}`;
    },
    userOf: (cookies) => users.get(sessionId(cookies)),
    end(cookies) {
      users.delete(sessionId(cookies));
      return `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
    },
  };
}

function sessionId(cookies = ''): string {
  const cookie = cookies.split(';').find((pair) => pair.trimStart().startsWith(`${COOKIE}=`));
  return (
    cookie
      ?.trimStart()
      .slice(COOKIE.length + 1)
      .trim() ?? ''
  );
}
