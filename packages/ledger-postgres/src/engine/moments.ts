import type { Clock } from '@searchgate/core/ledger';

/**
 * The two moments most functions of the schema ask for: what the injected clock says, and what this process believes. Exactly one is given. By the
 * second the server moves the times that came with it to its own clock, so it is read when a statement is sent.
 */
export type Moments = () => readonly [givenNowMs: number | null, processNowMs: number | null];

export function momentsOf(clock: Clock | undefined): Moments {
  return clock === undefined ? () => [null, Date.now()] : () => [clock.now(), null];
}
