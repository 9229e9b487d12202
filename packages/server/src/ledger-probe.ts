/** The result of a probe. */
export type LedgerState = 'reachable' | 'ledger_unreachable' | 'ledger_timeout';

export interface LedgerProbeOptions {
  /** Longest wait for the ledger, in milliseconds. @default 2,000 */
  readonly timeoutMs?: number;
  /** How long a result is reused, in milliseconds. @default 1,000 */
  readonly keepMs?: number;
}

/**
 * Probes whether a ledger answers. At most one probe is in flight, however long it takes, and its result is reused for a while, so any number of health
 * checks puts little load on the ledger.
 *
 * @param look reads a little from the ledger.
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
