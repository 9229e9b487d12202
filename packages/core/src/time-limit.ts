import type { Clock } from './clock.js';

/** Rejects with `onTimeout()` unless the promise settles within `limitMs`. The work itself goes on; nothing can cancel it. */
export function withTimeLimit<T>(
  promise: Promise<T>,
  limitMs: number,
  scope: { clock: Clock; onTimeout: () => Error },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = scope.clock.schedule(limitMs, () => {
      reject(scope.onTimeout());
    });
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error as Error);
      },
    );
  });
}
