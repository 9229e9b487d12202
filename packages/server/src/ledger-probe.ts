/** What a look at the ledger found. */
export type LedgerState = 'reachable' | 'ledger_unreachable' | 'ledger_timeout';

export interface LedgerProbeOptions {
  /** Longest wait for one answer. Default 2 s. */
  readonly timeoutMs?: number;
  /** How long a result stands for later questions. Default 1 s. */
  readonly keepMs?: number;
}

/**
 * Looks whether a ledger answers. At most one look is under way, however long it takes, and its result is kept for a while: health checks put no load on the
 * ledger, however many there are.
 *
 * @param look reads something small from the ledger.
 */
export function ledgerProbe(
  look: () => Promise<unknown>,
  { timeoutMs = 2_000, keepMs = 1_000 }: LedgerProbeOptions = {},
): () => Promise<LedgerState> {
  let isUnderWay = false;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  let state: Promise<LedgerState> = Promise.resolve('reachable');

  async function lookOnce(): Promise<LedgerState> {
    isUnderWay = true;
    try {
      await look();
      return 'reachable';
    } catch {
      return 'ledger_unreachable';
    } finally {
      isUnderWay = false;
      endedAtMs = performance.now();
    }
  }

  function lookInTime(): Promise<LedgerState> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs, 'ledger_timeout');
      void lookOnce().then((found) => {
        clearTimeout(timer);
        resolve(found);
      });
    });
  }

  return () => {
    if (!isUnderWay && performance.now() - endedAtMs >= keepMs) state = lookInTime();
    return state;
  };
}
