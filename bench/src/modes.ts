import type { Drives } from './drive.js';

export interface Mode {
  readonly name: 'quick' | 'full';
  readonly warmUpMs: number;
  readonly answers: Drives;
  readonly openLoop: Drives;
  readonly streams: { readonly rounds: number; readonly windowMs: number };
  readonly models: Drives;
  readonly keys: Drives & { readonly keyCount: number };
  readonly flood: Drives & { readonly refusedPerSecond: number };
  readonly startUps: number;
  readonly against: Drives;
}

export const FULL: Mode = {
  name: 'full',
  warmUpMs: 3_000,
  // Many short rounds: a shared machine can be a quarter slower from one second to the next, and turns close together share that.
  answers: { rounds: 41, settleMs: 100, durationMs: 400 },
  openLoop: { rounds: 5, settleMs: 300, durationMs: 2_000 },
  streams: { rounds: 5, windowMs: 1_500 },
  models: { rounds: 7, settleMs: 100, durationMs: 400 },
  keys: { rounds: 7, settleMs: 200, durationMs: 700, keyCount: 1_000_000 },
  flood: { rounds: 7, settleMs: 300, durationMs: 2_000, refusedPerSecond: 2_000 },
  startUps: 11,
  against: { rounds: 21, settleMs: 100, durationMs: 500 },
};

export const QUICK: Mode = {
  name: 'quick',
  warmUpMs: 1_000,
  answers: { rounds: 3, settleMs: 100, durationMs: 500 },
  openLoop: { rounds: 1, settleMs: 200, durationMs: 1_500 },
  streams: { rounds: 1, windowMs: 1_000 },
  models: { rounds: 3, settleMs: 50, durationMs: 250 },
  keys: { rounds: 3, settleMs: 100, durationMs: 300, keyCount: 100_000 },
  flood: { rounds: 3, settleMs: 200, durationMs: 1_000, refusedPerSecond: 2_000 },
  startUps: 3,
  against: { rounds: 7, settleMs: 50, durationMs: 250 },
};
