import { editsBetween } from './near-field.js';

/** The known name nearest to a misspelled name; `undefined` if more than a third of the letters differ and it is no half. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  return nearestNames(name, known, 1)[0];
}

/** Up to `count` known names near a misspelled name, nearest first. */
export function nearestNames(name: string, known: Iterable<string>, count: number): string[] {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  return [...known]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) => distance <= Math.max(2, Math.ceil(Math.max(candidate.length, wanted.length) / 3)),
    )
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** The edits; more than one, less than two where the name has a part too few or too many: `exa` for `exa/answer`, `key` and `EXA_API_KEY` for `apiKey`. */
function distanceOf(wanted: string, known: string): number {
  const edits = editsBetween(wanted, known);
  const [short, long] = [wanted, known].map(withoutJoints).sort((a, b) => a.length - b.length) as [string, string];
  const isPart =
    long.split('/').includes(short) || (long.endsWith(short) && short.length >= Math.max(3, long.length / 3));
  return isPart ? Math.min(1.5, edits) : edits;
}

function withoutJoints(name: string): string {
  return name.replaceAll(/[-_]/g, '');
}

const MAX_LENGTH = 100;
