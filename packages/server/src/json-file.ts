import { readFileSync } from 'node:fs';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { problem } from './problems.js';

const NOT_A_NAME = '__proto__';
/** Far more than any configuration has. */
const MAX_DEPTH = 100;
const UNEXPECTED = 'Unexpected token';
const OTHER_NAME = 'another name: JavaScript keeps this one to itself';

/** Objects are made by copying entries one by one, and an entry of this name would be left out, and nothing would say so. */
const schema = z.unknown().superRefine((value, context) => {
  for (const path of placesOf(NOT_A_NAME, value)) {
    const because = [{ code: 'custom' as const, path: [], message: OTHER_NAME }];
    context.addIssue({ code: 'invalid_key', origin: 'record', path: [...path], issues: because, input: value });
  }
});

/** Reads the configuration's file. @throws ConfigurationError where it is not there, is no JSON, or has an entry that no object can have. */
export function readJsonFile(path: string): unknown {
  return parseOptions(schema, parseJson(readText(path)), '');
}

/** Where entries of a name are. @throws ConfigurationError where values lie deeper in each other than {@link MAX_DEPTH}. */
function* placesOf(
  name: string,
  value: unknown,
  above: readonly PropertyKey[] = [],
): Generator<readonly PropertyKey[]> {
  if (typeof value !== 'object' || value === null) return;
  if (above.length > MAX_DEPTH)
    throw problem('SEARCHGATE_CONFIG', 'values deep inside each other', `at most ${MAX_DEPTH} levels`);
  for (const [key, child] of Object.entries(value)) {
    const place = [...above, Array.isArray(value) ? Number(key) : key];
    if (key === name) yield place;
    else yield* placesOf(name, child, place);
  }
}

function readText(path: string): string {
  try {
    // Some editors put a byte order mark in front.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const found =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : String((error as Error).message);
    throw problem('SEARCHGATE_CONFIG', `${JSON.stringify(path)} (${found})`, 'the path of a JSON file');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message may quote the text, and with it a secret: only the position is shown.
    const place = placeOf(text, positionOf(text, (error as Error).message));
    throw problem('SEARCHGATE_CONFIG', `no JSON from ${place} on`, 'a JSON object');
  }
}

function positionOf(text: string, message: string): number {
  const said = /position (\d+)/.exec(message)?.[1];
  if (said !== undefined) return Number(said);
  // The parser does not say where a token is that it did not expect: the shortest beginning with the same error ends with it.
  if (!message.startsWith(UNEXPECTED)) return text.length;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (hasUnexpected(text.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

function hasUnexpected(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as Error).message.startsWith(UNEXPECTED);
  }
}

function placeOf(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
