import { changedReplies } from './mutations.js';

/** A reply as it goes over the wire, one of whose lists holds an invalid entry. */
export interface StrangeReply {
  readonly text: string;
  /** What was done, for the message of a failing test. */
  readonly change: string;
  /** `last`: nothing else has moved. `between`: positions after the strange entry are one higher. `replaced`: in place of an entry. */
  readonly place: 'last' | 'between' | 'replaced';
  /** The entry that was replaced. */
  readonly lost?: unknown;
}

/** A JSON value of which one list has been changed. */
interface Changed extends Omit<StrangeReply, 'text'> {
  readonly value: unknown;
}

/**
 * Copies of a reply, each with one strange entry in one of its lists, at any depth: put in at the start, in the middle and at the end, or in place of an
 * entry. Left unchanged are empty lists, whose entries are unknown, and rows of tables, whose cells make columns. Of alternatives only the first is
 * read, so nothing is put before it.
 */
export function strangeReplies(reply: unknown): Generator<StrangeReply> {
  return changedReplies(reply, (value) => changes(value, ''));
}

/** Lists in lists. */
const ROW = /\/\d+$/;
/** Lists of alternative answers. */
const ALTERNATIVES = /\/(?:choices|candidates)$/;

function* changes(value: unknown, path: string): Generator<Changed> {
  if (Array.isArray(value) && !ROW.test(path)) yield* changedLists(value as unknown[], path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, element] of Object.entries(value)) {
    for (const changed of changes(element, `${path}/${key}`)) {
      yield {
        ...changed,
        value: Array.isArray(value) ? value.with(Number(key), changed.value) : { ...value, [key]: changed.value },
      };
    }
  }
}

function* changedLists(list: readonly unknown[], path: string): Generator<Changed> {
  if (list.length === 0) return;
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

/** What cannot be an entry beside this one: values of other types, and its own fields with values of other types. */
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
