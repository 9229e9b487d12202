import { type Batcher, createBatcher, type SendBatch } from './batcher.js';

/** Batchers side by side; a route (an organization, a key) always takes the same one. */
export interface Batchers<Operation, Result> {
  submit(route: string, operation: Operation): Promise<Result>;
}

export interface BatchersOptions {
  readonly count: number;
  readonly maxBatch: number;
  readonly isTransient: (error: unknown) => boolean;
}

export function createBatchers<Operation, Result>(
  send: SendBatch<Operation, Result>,
  { count, maxBatch, isTransient }: BatchersOptions,
): Batchers<Operation, Result> {
  const batchers = Array.from({ length: count }, () => createBatcher(send, maxBatch, isTransient));
  return {
    submit: (route, operation) => (batchers[hash(route) % count] as Batcher<Operation, Result>).submit(operation),
  };
}

/** FNV-1a: spreads names that differ in their last character only. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return state >>> 0;
}
