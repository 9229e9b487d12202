import type { Problem } from './problems.js';

type Place = (string | number)[];

/** Stands for a wrong key of a provider, whose models are still known. */
export const STAND_IN_KEY = 'stands-in-for-a-key';
/** Right values that stand in for wrong values that a key, an organization or a provider cannot be without. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  credits: '0',
  limit: null,
  label: 'a label',
  apiKey: STAND_IN_KEY,
  type: 'openai-compatible',
};
const HAS_STAND_INS = /^(?:organizations|apiKeys|providers)\b/;
const PARTS = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g;

/** Takes mistakes out of a configuration, so that the checks behind them run too. */
export interface Repair {
  /**
   * Takes out what the problems are about.
   *
   * @returns the problems that an operator should read: those that no removal has caused, at their places in the file. `undefined` if nothing could be
   * taken out.
   */
  takeOut(problems: readonly Problem[]): Problem[] | undefined;
}

/** @param content the parsed file. It is changed. */
export function createRepair(content: unknown): Repair {
  const reported = new Set<string>();
  /** Paths of removed values: an object around one may be wrong for want of it. */
  const removed: string[] = [];
  /** Names that are gone: a reference to one is no mistake. */
  const goneNames = new Set<string>();
  /** The place in the file of each element that is left, for arrays that have lost some. */
  const places = new WeakMap<unknown[], number[]>();

  const placesOf = (list: unknown[]) => places.get(list) ?? list.map((_, index) => index);
  const isNews = ({ path, found }: Problem) =>
    !reported.has(path) && !removed.some((other) => isWithin(other, path)) && !goneNames.has(found);

  /** The path in the file as the operator wrote it. */
  function originalOf(place: Place, path: string): string {
    let value: unknown = content;
    const indexes: number[] = [];
    for (const part of place) {
      if (typeof part === 'number') indexes.push(Array.isArray(value) ? (placesOf(value)[part] ?? part) : part);
      value = childOf(value, part);
    }
    return path.replace(/\[\d+\]/g, () => `[${indexes.shift()}]`);
  }

  /** Removes a value; if it is missing already, the value around it. @returns the removed place. */
  function remove(place: Place): Place | undefined {
    for (let length = place.length; length > 0; length -= 1) {
      const parent = place.slice(0, length - 1).reduce<unknown>(childOf, content);
      const last = place[length - 1] ?? '';
      const value = childOf(parent, last);
      if (value === undefined) continue;
      const [field] = place;
      // Without a category it changes a model that exists.
      const isModel = field === 'models' && childOf(value, 'category') !== undefined;
      if (length === 2 && (isModel || field === 'aliases' || field === 'groups')) goneNames.add(JSON.stringify(last));
      goneNames.add(JSON.stringify(last === 'id' ? value : (childOf(value, 'id') ?? null)));
      if (!Array.isArray(parent)) delete (parent as Record<string, unknown>)[last];
      else {
        const left = placesOf(parent);
        left.splice(Number(last), 1);
        parent.splice(Number(last), 1);
        places.set(parent, left);
      }
      return place.slice(0, length);
    }
    return undefined;
  }

  return {
    takeOut(problems) {
      const placed = problems.map((problem) => ({ problem, place: placeOf(problem.path) }));
      const found = placed.map(({ problem, place }) => ({ ...problem, path: originalOf(place, problem.path) }));
      const news = found.filter(isNews);
      let isChanged = false;
      const emptied: Place[] = [];
      // From the end, so that the places of earlier elements stay as they are.
      for (const [index, { place }] of [...placed.entries()].sort(([, a], [, b]) => compare(b.place, a.place))) {
        const path = found[index]?.path ?? '';
        if (emptied.some((outer) => outer.every((part, depth) => part === place[depth]))) continue;
        if (reported.has(path) || !replaceIn(content, place, path)) {
          const emptiedPlace = remove(place);
          if (emptiedPlace === undefined) continue;
          emptied.push(emptiedPlace);
          removed.push(path);
        }
        isChanged = true;
      }
      for (const { path } of found) reported.add(path);
      return isChanged || news.length > 0 ? news : undefined;
    },
  };
}

/** Puts a right value in place of a wrong one. @returns whether there is one. */
function replaceIn(content: unknown, place: Place, path: string): boolean {
  const parent = place.slice(0, -1).reduce<unknown>(childOf, content);
  const isFile = place.at(-1) === 'apiKeyFile';
  const name = isFile ? 'apiKey' : String(place.at(-1));
  if (place.length !== 3 || !HAS_STAND_INS.test(path) || typeof parent !== 'object' || parent === null) return false;
  const right = name === 'secret' ? `stands-in-for-${path}` : STAND_INS[name];
  if (right === undefined) return false;
  if (isFile) delete (parent as Record<string, unknown>)['apiKeyFile'];
  (parent as Record<string, unknown>)[name] = right;
  return true;
}

function placeOf(path: string): Place {
  return [...path.matchAll(PARTS)].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

function childOf(value: unknown, part: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    ? (value as Record<string | number, unknown>)[part]
    : undefined;
}

function compare(a: Place, b: Place): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (part === other) continue;
    if (other === undefined) return 1;
    return typeof part === 'number' && typeof other === 'number' ? part - other : String(part) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}

/** Whether a path is that of another value, or of a value around it. */
function isWithin(path: string, outer: string): boolean {
  return path.startsWith(outer) && /^$|^[.[]/.test(path.slice(outer.length));
}
