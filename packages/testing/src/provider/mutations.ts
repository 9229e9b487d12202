/** What may suddenly stand in place of any value of a reply; `undefined` is absence. */
const STRANGERS: readonly unknown[] = [null, undefined, 7, 'odd', {}, [null], { a: [] }];
/** The same for a text, a number or a boolean, which nothing looks into. */
const STRANGERS_OF_PLAIN: readonly unknown[] = [null, undefined, 7, 'odd', {}];
/** Elements of a list are alike, as are events of one shape. */
const ALIKE_TRIED = 2;

/** Copies of a JSON value with one value in it, at any depth, replaced by something it should not be. */
function* mutations(value: unknown): Generator {
  yield* typeof value === 'object' ? STRANGERS : STRANGERS_OF_PLAIN;
  if (Array.isArray(value)) {
    for (const [index, element] of value.slice(0, ALIKE_TRIED).entries()) {
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
 * Changes a reply: its value, or in a stream of events one event at a time, the first two of each shape. Gives each change with the reply as it then goes over the wire.
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
  const tried = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(`${EVENT}{`)) continue;
    const event: unknown = JSON.parse(line.slice(EVENT.length));
    const shape = shapeOf(event);
    const count = (tried.get(shape) ?? 0) + 1;
    tried.set(shape, count);
    if (count > ALIKE_TRIED) continue;
    for (const changed of change(event)) {
      yield { ...changed, text: lines.with(index, EVENT + toJson(changed)).join('\n') };
    }
  }
}

/** The fields of an event, at any depth, and its types. Which text and figures they have makes no other event of it. */
function shapeOf(event: unknown): string {
  const shape = (key: string, value: unknown) =>
    key === 'type' || (typeof value === 'object' && value !== null) ? value : typeof value;
  return JSON.stringify(event, shape);
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
