import { z } from 'zod';

/** What is remembered of how long models have taken, as a host keeps it: plain JSON. At most 128 answers of a model, none older than five minutes. */
export interface LatencySnapshot {
  /** By slug, the oldest answer first. */
  readonly models: Readonly<Record<string, readonly MeasuredAnswer[]>>;
}

/** Times are of the wall clock, so that an answer grows old while no process runs. */
export interface MeasuredAnswer {
  readonly durationMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly takenAtMs: number;
}

/** The most that is remembered of a model. */
export const MOST_ANSWERS = 128;
/** More than any host has; a snapshot of more is none of ours. */
const MOST_MODELS = 1_000;
const MOST_SLUG_CHARACTERS = 256;
const LONGEST_MS = 86_400_000;

const answer = z.object({ durationMs: z.number().min(0).max(LONGEST_MS), takenAtMs: z.number() });
const models = z.record(z.string().max(MOST_SLUG_CHARACTERS), z.array(answer).max(MOST_ANSWERS));
const snapshot = z.object({ models: z.custom(hasFewModels).pipe(models) });

/** Reads what a host has kept. @returns `undefined` where it is no snapshot. */
export function readSnapshot(value: unknown): LatencySnapshot | undefined {
  return snapshot.safeParse(value).data;
}

/** Asked first, so that a long list is refused before it is read. */
function hasFewModels(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length <= MOST_MODELS;
}
