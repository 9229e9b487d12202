/** How long each measurement runs. Times in milliseconds. */
export interface Mode {
  readonly name: 'quick' | 'full';
  readonly warmUpMs: number;
  readonly saturated: Drives;
  readonly openLoop: Drives;
  readonly eventLoop: Drives;
  readonly models: Drives;
  readonly keys: Drives & { readonly keyCount: number };
  readonly ledgerPairs: number;
  readonly startUps: number;
}

/** `rounds` times round all servers in turn, each driven for `settleMs` unmeasured and `durationMs` measured. */
export interface Drives {
  readonly rounds: number;
  readonly settleMs: number;
  readonly durationMs: number;
}

export const FULL: Mode = {
  name: 'full',
  warmUpMs: 3_000,
  // Many short rounds: on a shared machine a second can be a quarter slower than the next, and turns that lie close together share it.
  saturated: { rounds: 41, settleMs: 100, durationMs: 400 },
  openLoop: { rounds: 5, settleMs: 300, durationMs: 2_400 },
  eventLoop: { rounds: 5, settleMs: 300, durationMs: 1_500 },
  models: { rounds: 7, settleMs: 100, durationMs: 400 },
  keys: { rounds: 7, settleMs: 200, durationMs: 700, keyCount: 1_000_000 },
  ledgerPairs: 500_000,
  startUps: 11,
};

/** For a first look; too short to settle an argument. */
export const QUICK: Mode = {
  name: 'quick',
  warmUpMs: 1_000,
  saturated: { rounds: 3, settleMs: 100, durationMs: 500 },
  openLoop: { rounds: 1, settleMs: 200, durationMs: 1_500 },
  eventLoop: { rounds: 1, settleMs: 200, durationMs: 1_000 },
  models: { rounds: 3, settleMs: 50, durationMs: 250 },
  keys: { rounds: 3, settleMs: 100, durationMs: 300, keyCount: 100_000 },
  ledgerPairs: 200_000,
  startUps: 3,
};
