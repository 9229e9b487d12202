import { execFileSync } from 'node:child_process';

/** What a child process is to run as; empty for "as we do". */
export interface ProcessOwner {
  readonly uid?: number;
  readonly gid?: number;
}

/** A PostgreSQL server refuses to run as root. */
const CANDIDATES = ['postgres', 'nobody'];

/** Whom a server is to run as: ourselves, or as root a user without rights. @throws Error where the machine has none. */
export function unprivilegedUser(): ProcessOwner {
  if (process.getuid?.() !== 0) return {};
  for (const name of CANDIDATES) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // No such user: try the next.
    }
  }
  throw new Error(`A server cannot run as root, and this machine has no user ${CANDIDATES.join(' or ')}`);
}

function idOf(flag: '-u' | '-g', name: string): number {
  return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
