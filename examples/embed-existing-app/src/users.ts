import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';

/** A user as this application knew them long before there was a gateway. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly team: string;
  readonly plan: 'trial' | 'full';
}

export interface Users {
  /** The user of this name, if the password is theirs. */
  byPassword(name: string, password: string): User | undefined;
  /** The user whose scripts send this token. */
  byToken(token: string): User | undefined;
}

export interface NewUser extends User {
  readonly password: string;
  readonly token?: string;
}

/** Keeps users in memory, their passwords and tokens as hashes. */
export function createUsers(newUsers: readonly NewUser[]): Users {
  const salt = randomBytes(16);
  const passwordHash = (password: string) => scryptSync(password, salt, 32);
  const byName = new Map<string, { readonly user: User; readonly hash: Buffer }>();
  const byTokenHash = new Map<string, User>();
  for (const { password, token, ...user } of newUsers) {
    byName.set(user.name, { user, hash: passwordHash(password) });
    if (token !== undefined) byTokenHash.set(tokenHash(token), user);
  }

  return {
    byPassword(name, password) {
      const known = byName.get(name);
      return known !== undefined && timingSafeEqual(known.hash, passwordHash(password)) ? known.user : undefined;
    },
    byToken: (token) => byTokenHash.get(tokenHash(token)),
  };
}

function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
