import { editsBetween } from './near-field.js';

/** The known name nearest to a misspelled name; `undefined` if more than a third of the letters differ. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  return nearestNames(name, known, 1)[0];
}

/** Up to `count` known names near a misspelled name, nearest first. */
export function nearestNames(name: string, known: Iterable<string>, count: number): string[] {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  return [...known]
    .map((candidate) => ({ candidate, distance: editsBetween(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) => distance <= Math.max(2, Math.ceil(Math.max(candidate.length, wanted.length) / 3)),
    )
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

const MAX_LENGTH = 100;
