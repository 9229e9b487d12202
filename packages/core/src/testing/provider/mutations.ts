/** What may suddenly stand in place of any value of a reply; `undefined` is absence. */
const STRANGERS: readonly unknown[] = [null, undefined, 7, 'odd', {}, [null], { a: [] }];
/** Elements of a list are alike. */
const ELEMENTS_TRIED = 2;

/** Copies of a JSON value with one value in it, at any depth, replaced by something it should not be. */
function* mutations(value: unknown): Generator {
  yield* STRANGERS;
  if (Array.isArray(value)) {
    for (const [index, element] of value.slice(0, ELEMENTS_TRIED).entries()) {
      for (const mutated of mutations(element)) yield value.with(index, mutated);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      for (const mutated of mutations(element)) yield { ...value, [key]: mutated };
    }
  }
}

/** How an event of a stream begins, as vendors write it. */
const EVENT = 'data: ';

/** Copies of a reply as it goes over the wire, each with one value in it replaced; in a stream of events, a value of one event. */
export function* mutatedReplies(reply: unknown): Generator<string> {
  if (!isStream(reply)) {
    for (const mutated of mutations(reply)) yield JSON.stringify(mutated ?? null);
    return;
  }
  const lines = reply.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(`${EVENT}{`)) continue;
    for (const mutated of mutations(JSON.parse(line.slice(EVENT.length)))) {
      yield lines.with(index, EVENT + JSON.stringify(mutated ?? null)).join('\n');
    }
  }
}

/** What may have arrived of a stream when it breaks off: up to the end of each line, and up to its middle. */
export function* beginnings(stream: string): Generator<string> {
  let end = 0;
  for (const line of stream.split('\n')) {
    yield stream.slice(0, end);
    yield stream.slice(0, end + (line.length >> 1));
    end += line.length + 1;
  }
}

/** Whether a fixture's reply is a stream of events. */
export function isStream(reply: unknown): reply is string {
  return typeof reply === 'string' && reply.split('\n').some((line) => line.startsWith(EVENT));
}
