/** Replacements for any value of a reply; `undefined` is absence. */
const STRANGERS: readonly unknown[] = [null, undefined, 7, 'odd', {}, [null], { a: [] }];
/** Replacements for a text, a number or a boolean, whose inside is never read. */
const STRANGERS_OF_PLAIN: readonly unknown[] = [null, undefined, 7, 'odd', {}];
/** Elements of a list are similar, as are events of one shape: two are enough. */
const ALIKE_TRIED = 2;

/** A change of a JSON value. */
export interface Change {
  readonly value: unknown;
}

/**
 * The changes of each value in a JSON value, at any depth, each in a copy of the whole.
 *
 * @param most elements of a list that are changed inside.
 */
export function* changesWithin<C extends Change>(
  value: unknown,
  own: (value: unknown, path: string) => Iterable<C>,
  { most = Number.POSITIVE_INFINITY, path = '' } = {},
): Generator<C> {
  yield* own(value, path);
  if (typeof value !== 'object' || value === null) return;
  const list = Array.isArray(value) ? (value as unknown[]) : undefined;
  for (const [key, element] of Object.entries(value).slice(0, list && most))
    for (const changed of changesWithin(element, own, { most, path: `${path}/${key}` }))
      yield { ...changed, value: list?.with(Number(key), changed.value) ?? { ...value, [key]: changed.value } };
}

function strangers(value: unknown): Change[] {
  return (typeof value === 'object' ? STRANGERS : STRANGERS_OF_PLAIN).map((stranger) => ({ value: stranger }));
}

/** The start of an event, as vendors write it. */
const EVENT = 'data: ';

/**
 * Changes a reply: its JSON value, or in a stream one event at a time, the first two of each shape. Yields each change with the changed reply on the wire.
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

/** The field names of an event, at any depth, with their types. Texts and numbers do not matter. */
function shapeOf(event: unknown): string {
  const shape = (key: string, value: unknown) =>
    key === 'type' || (typeof value === 'object' && value !== null) ? value : typeof value;
  return JSON.stringify(event, shape);
}

function toJson({ value }: Change): string {
  return JSON.stringify(value ?? null);
}

/** Copies of a reply on the wire, each with one value replaced. */
export function* mutatedReplies(reply: unknown): Generator<string> {
  const changes = changedReplies(reply, (value) => changesWithin(value, strangers, { most: ALIKE_TRIED }));
  for (const { text } of changes) yield text;
}

/** Prefixes of a stream that breaks off: up to the end and up to the middle of each line. */
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
