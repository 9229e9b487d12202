import { createLane, type Lane, type SendBatch } from './lane.js';

/** Lanes side by side; a route (an organization, a key) always takes the same one. */
export interface Lanes<Verb, Result> {
  submit(route: string, verb: Verb): Promise<Result>;
  idle(): Promise<void>;
}

export interface LanesOptions {
  readonly count: number;
  readonly maxBatch: number;
  readonly mayPass: (error: unknown) => boolean;
}

export function createLanes<Verb, Result>(
  send: SendBatch<Verb, Result>,
  { count, maxBatch, mayPass }: LanesOptions,
): Lanes<Verb, Result> {
  const lanes = Array.from({ length: count }, () => createLane(send, maxBatch, mayPass));
  return {
    submit: (route, verb) => (lanes[hash(route) % count] as Lane<Verb, Result>).submit(verb),
    async idle() {
      await Promise.all(lanes.map((lane) => lane.idle()));
    },
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
