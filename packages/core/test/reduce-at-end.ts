import type { StreamEnd } from '../src/provider-kit/completeness.js';
import type { CreateReducer, JsonObject } from '../src/provider-kit/reduce-stream.js';

/** A reducer that reads the events only after the last one. Both functions do the work of their namesakes in `StreamReducer`. */
export function reduceAtEnd(
  isWhole: (events: readonly JsonObject[], end: StreamEnd) => boolean,
  reduce: (events: readonly JsonObject[]) => JsonObject,
): CreateReducer {
  return () => {
    const events: JsonObject[] = [];
    return {
      push: (event) => void events.push(event),
      isWhole: (end) => isWhole(events, end),
      end: () => reduce(events),
    };
  };
}
