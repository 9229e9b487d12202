import { changedReplies, changesWithin } from './mutations.js';

/** A reply on the wire with an invalid entry in one of its lists. */
export interface StrangeReply {
  readonly text: string;
  /** Describes the change, for the message of a failing test. */
  readonly change: string;
  /** `last`: all other entries keep their positions. `between`: later positions are one higher. `replaced`: instead of an entry. */
  readonly place: 'last' | 'between' | 'replaced';
  /** The entry that was replaced. */
  readonly lost?: unknown;
}

/** A JSON value with one changed list. */
interface Changed extends Omit<StrangeReply, 'text'> {
  readonly value: unknown;
}

/**
 * Copies of a reply, each with one invalid entry in one of its lists, at any depth: at the start, in the middle, at the end, or instead of an entry. Not
 * changed: empty lists, since their entries are unknown; table rows, since their cells form columns; and the position before the first of several
 * alternatives, since only the first is read.
 */
export function strangeReplies(reply: unknown): Generator<StrangeReply> {
  return changedReplies(reply, (value) => changesWithin<Changed>(value, changedLists));
}

/** Lists in lists. */
const ROW = /\/\d+$/;
/** Lists of alternative answers. */
const ALTERNATIVES = /\/(?:choices|candidates)$/;

function* changedLists(list: unknown, path: string): Generator<Changed> {
  if (!Array.isArray(list) || list.length === 0 || ROW.test(path)) return;
  const middle = list.length >> 1;
  for (const strange of strangeEntries(list[middle])) {
    const described = `${JSON.stringify(strange)} in ${path}`;
    for (const index of new Set([0, middle, list.length])) {
      if (index === 0 && ALTERNATIVES.test(path)) continue;
      const place = index === list.length ? 'last' : 'between';
      yield { value: list.toSpliced(index, 0, strange), place, change: `${described} before entry ${index}` };
    }
    for (const index of new Set([0, middle, list.length - 1])) {
      yield {
        value: list.with(index, strange),
        place: 'replaced',
        lost: list[index],
        change: `${described} for entry ${index}`,
      };
    }
  }
}

/** Values that are invalid next to this entry: other types, and its fields with values of other types. */
function* strangeEntries(entry: unknown): Generator {
  for (const strange of [null, 7, '', {}, []]) {
    if (strange === '' || kindOf(strange) !== kindOf(entry) || kindOf(entry) === 'object') yield strange;
  }
  if (kindOf(entry) !== 'object') return;
  for (const strange of [null, 7, {}, [null]]) {
    yield Object.fromEntries(Object.keys(entry as object).map((key) => [key, strange]));
  }
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

/** The addresses among these that an entry of a list names, itself or in a field. */
export function namedIn(lost: unknown, addresses: readonly string[]): string[] {
  const values = [lost, ...valuesOf(lost), ...valuesOf(lost).flatMap(valuesOf)];
  const texts = values.filter((value) => typeof value === 'string');
  return addresses.filter((url) => texts.some((value) => value.startsWith(url)));
}

function valuesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : [];
}
