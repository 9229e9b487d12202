import { expect } from 'vitest';

const MOST_ROUNDS = 10;

/**
 * Plays rounds of random histories until each of the interesting cases has occurred. A case that has not occurred after ten rounds is not missing by chance.
 *
 * @param missing the cases that have not occurred so far.
 */
export async function playUntilSeen(round: () => Promise<void>, missing: () => readonly unknown[]): Promise<void> {
  for (let rounds = 0; rounds === 0 || (rounds < MOST_ROUNDS && missing().length > 0); rounds += 1) await round();
  expect(missing()).toEqual([]);
}

/** The names of counts that are zero. */
export function zerosOf(counts: Readonly<Record<string, number>>): string[] {
  return Object.keys(counts).filter((name) => counts[name] === 0);
}
