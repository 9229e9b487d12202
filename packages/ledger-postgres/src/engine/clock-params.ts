import type { Clock } from '@searchgate/core/ledger';

/**
 * The two times most functions of the schema take: what the injected clock says, and what this process believes. Exactly one is given. By the
 * second the server moves the times that came with it to its own clock, so it is read when a statement is sent.
 */
export type ClockParams = () => readonly [givenNowMs: number | null, processNowMs: number | null];

export function clockParamsOf(clock: Clock | undefined): ClockParams {
  return clock === undefined ? () => [null, Date.now()] : () => [clock.now(), null];
}
