import type { LedgerState } from './ledger-probe.js';

/** A response of a health check: JSON, never cached. */
export interface Health {
  readonly status: 200 | 503;
  readonly body: { readonly status: string; readonly reason?: string };
}

export interface HealthDeps {
  readonly isClosing: () => boolean;
  readonly probeLedger: () => Promise<LedgerState>;
}

/**
 * Answers health checks. `/healthz` says that the process answers, also while it shuts down: what restarts processes asks it. `/readyz` says whether calls
 * should come here: the ledger answers, and the service is not shutting down. Load balancers ask that.
 *
 * @returns `undefined` for every other path.
 */
export async function healthAt(path: string, { isClosing, probeLedger }: HealthDeps): Promise<Health | undefined> {
  if (path === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (path !== '/readyz') return undefined;
  if (isClosing()) return notReady('shutting_down');
  const state = await probeLedger();
  return state === 'reachable' ? { status: 200, body: { status: 'ready' } } : notReady(state);
}

function notReady(reason: string): Health {
  return { status: 503, body: { status: 'not_ready', reason } };
}
