import { EN_DASH, isDigit, MINUS, skip } from './characters.js';

/** The highest number of a citation marker: longer numbers are years and other figures. A source beyond it can be listed, but not cited. */
export const MAX_MARKER_NUMBER = 999;

/** Returns the position of the source with a number, from 1; 0 for a source that is no citation, `undefined` for an unknown number. */
export type PositionOf = (number: string) => number | undefined;

const COUNTED = /^[1-9]\d*$/;
const ONE_NUMBER = /^\d+$/;

export function positionWithin(count: number): PositionOf {
  const last = Math.min(count, MAX_MARKER_NUMBER);
  return (number) => (COUNTED.test(number) && Number(number) <= last ? Number(number) : undefined);
}

/**
 * The positions of the numbers of a marker, without sources that are no citations; `undefined` if a number is unknown.
 *
 * @param numbers such as `1`, `1, 2` or `1-3`.
 * @param most the maximum number of positions, 1 or more.
 */
export function positionsOf(numbers: string, positionOf: PositionOf, most: number): readonly number[] | undefined {
  if (ONE_NUMBER.test(numbers)) {
    const position = positionOf(numbers);
    if (position === undefined) return undefined;
    return position === 0 || position > MAX_MARKER_NUMBER ? [] : [position];
  }
  const positions: number[] = [];
  for (let start = 0; start < numbers.length; ) {
    const part = nextPart(numbers, start);
    const found = positionsOfPart(part.ends, positionOf, most);
    if (found === undefined) return undefined;
    for (const position of found) if (positions.length < most) positions.push(position);
    start = part.end;
  }
  return positions;
}

interface Part {
  /** A number, or the two numbers of a range. */
  readonly ends: readonly string[];
  /** The index at which the next part begins. */
  readonly end: number;
}

/** The numbers from an index up to the next comma or semicolon. */
function nextPart(numbers: string, start: number): Part {
  const ends: string[] = [];
  let index = start;
  let isRange = true;
  while (isRange && index < numbers.length) {
    const end = skip(numbers, index, isDigit);
    ends.push(numbers.slice(index, end));
    isRange = false;
    for (index = end; index < numbers.length && !isDigit(numbers.charCodeAt(index)); index += 1)
      isRange ||= isDash(numbers.charCodeAt(index));
  }
  return { ends, end: index };
}

function isDash(code: number): boolean {
  return code === MINUS || code === EN_DASH;
}

/** The positions of a number or a range. Both ends of a range must be known, the numbers between need not. */
function positionsOfPart(ends: readonly string[], positionOf: PositionOf, most: number): number[] | undefined {
  const [first = '', last = first, ...others] = ends;
  const length = Number(last) - Number(first) + 1;
  const known = positionOf(first) !== undefined && positionOf(last) !== undefined;
  if (!known || others.length > 0 || length < 1) return undefined;
  const numbers =
    length === 1
      ? [first]
      : Array.from({ length: Math.min(length, most) }, (_, index) => String(Number(first) + index));
  return numbers
    .map((number) => positionOf(number) ?? 0)
    .filter((position) => position !== 0 && position <= MAX_MARKER_NUMBER);
}
