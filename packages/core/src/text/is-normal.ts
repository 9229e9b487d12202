import { CLOSE_BRACKET, isDigit } from './characters.js';

/**
 * Tells cheaply that there is nothing to do to the markers of a text, as in most answers: all brackets are those of `[n]` in range, none twice in a run.
 * `false` where it takes a walk over the text to know.
 */
export function isNormal(text: string, count: number): boolean {
  if (text.includes('【')) return false;
  let run: Set<number> | undefined;
  let [end, last] = [0, 0];
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', end)) {
    const number = ownNumberAt(text, start);
    if (number === 0 || number > count) return false;
    // Most markers stand alone.
    if (start !== end) run = undefined;
    else run ??= new Set([last]);
    if (run?.has(number)) return false;
    run?.add(number);
    last = number;
    end = text.indexOf(']', start) + 1;
  }
  return true;
}

/** The number of the `[n]` that begins here; 0 for anything else. */
function ownNumberAt(text: string, start: number): number {
  let number = 0;
  for (let index = start + 1; index <= start + 4; index += 1) {
    const code = text.charCodeAt(index);
    if (code === CLOSE_BRACKET) return number;
    if (!isDigit(code) || (number === 0 && code === 48)) return 0;
    number = 10 * number + code - 48;
  }
  return 0;
}

/** Whether each number is its own position. */
export function isIdentity(positions: ReadonlyMap<string, number>): boolean {
  let expected = 0;
  for (const [number, position] of positions) {
    expected += 1;
    if (position !== expected || number !== String(expected)) return false;
  }
  return true;
}
