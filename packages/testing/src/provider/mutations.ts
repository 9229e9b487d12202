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

/** A change of a JSON value. */
interface Change {
  readonly value: unknown;
}

/**
 * Changes a reply: its value, or in a stream of events one event at a time. Gives each change with the reply as it then goes over the wire.
 */
export function* changedReplies<C extends Change>(
  reply: unknown,
  change: (value: unknown) => Iterable<C>,
): Generator<C & { readonly text: string }> {
  if (!isStream(reply)) {
    for (const changed of change(reply)) yield { ...changed, text: toJson(changed) };
    return;
  }
  const lines = reply.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(`${EVENT}{`)) continue;
    for (const changed of change(JSON.parse(line.slice(EVENT.length)))) {
      yield { ...changed, text: lines.with(index, EVENT + toJson(changed)).join('\n') };
    }
  }
}

function toJson({ value }: Change): string {
  return JSON.stringify(value ?? null);
}

/** Copies of a reply as it goes over the wire, each with one value in it replaced. */
export function* mutatedReplies(reply: unknown): Generator<string> {
  const oneByOne = function* (value: unknown): Generator<Change> {
    for (const mutated of mutations(value)) yield { value: mutated };
  };
  for (const { text } of changedReplies(reply, oneByOne)) yield text;
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
