import type { Clock } from '@searchgate/core/ledger';

/** Waits for a promise, but not for longer than a time. What comes after it is dropped, also an error. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, clock: Clock): Promise<T | 'late'> {
  let cancel = (): void => undefined;
  const late = new Promise<'late'>((resolve) => (cancel = clock.schedule(timeoutMs, () => resolve('late'))));
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}
