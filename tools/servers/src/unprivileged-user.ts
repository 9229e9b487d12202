import { execFileSync } from 'node:child_process';

/** The user of a child process; empty for the user of this process. */
export interface ProcessOwner {
  readonly uid?: number;
  readonly gid?: number;
}

/** A PostgreSQL server refuses to run as root. */
const CANDIDATES = ['postgres', 'nobody'];

/** The user of a server: this process's own, or if that is root, one without rights. @throws Error if the machine has none. */
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
