import { readFileSync } from 'node:fs';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import type { Environment } from './environment.js';
import { problem } from './problems.js';

const NOT_A_NAME = '__proto__';
/** Far more than any configuration has. */
const MAX_DEPTH = 100;
const UNEXPECTED = 'Unexpected token';
const ESCAPED = '$${';
/** `$${` for the characters themselves, a variable, or what is neither. */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g;
const OTHER_NAME = 'another name: JavaScript keeps this one to itself';

type Variables = ReadonlyMap<string, string | undefined>;

const schema = (variables: Variables) =>
  z.unknown().superRefine((value, context) => {
    for (const { path, name, text } of entriesOf(value)) {
      const expected = problemOfName(name);
      if (expected !== undefined) {
        const because = [{ code: 'custom' as const, path: [], message: expected }];
        context.addIssue({ code: 'invalid_key', origin: 'record', path, issues: because, input: value });
      }
      const message = text === undefined ? undefined : problemOfText(text, variables);
      if (message !== undefined) context.addIssue({ code: 'custom', path, message });
    }
  });

/**
 * Reads the configuration's file, and puts variables of the environment where its texts refer to them.
 *
 * @throws ConfigurationError where it is not there, is no JSON, has an entry that no object can have, or refers to a variable that is not set.
 */
export function readJsonFile(path: string, environment: Environment): unknown {
  const variables = new Map(Object.entries(environment));
  return withVariables(parseOptions(schema(variables), parseJson(readText(path)), ''), variables);
}

interface Entry {
  readonly path: PropertyKey[];
  /** `undefined` for an element of an array. */
  readonly name: string | undefined;
  /** `undefined` for a value that is no text. */
  readonly text: string | undefined;
}

/** All entries of objects and arrays. @throws ConfigurationError where values lie deeper in each other than {@link MAX_DEPTH}. */
function* entriesOf(value: unknown, above: readonly PropertyKey[] = []): Generator<Entry> {
  if (typeof value !== 'object' || value === null) return;
  if (above.length > MAX_DEPTH)
    throw problem('SEARCHGATE_CONFIG', 'values deep inside each other', `at most ${MAX_DEPTH} levels`);
  for (const [key, child] of Object.entries(value) as [string, unknown][]) {
    const path = [...above, Array.isArray(value) ? Number(key) : key];
    const text = typeof child === 'string' ? child : undefined;
    yield { path, name: Array.isArray(value) ? undefined : key, text };
    yield* entriesOf(child, path);
  }
}

function problemOfName(name = ''): string | undefined {
  // Objects are made by copying entries one by one, and an entry of this name would be left out, and nothing would say so.
  if (name === NOT_A_NAME) return OTHER_NAME;
  return name.includes('${') ? 'another name: variables stand in values alone' : undefined;
}

function problemOfText(text: string, variables: Variables): string | undefined {
  for (const [whole, name] of text.matchAll(REFERENCE)) {
    if (whole === ESCAPED) continue;
    if (name === undefined) return 'a variable such as ${NAME}, or $${ for the characters themselves';
    if (!variables.get(name)) return `the environment variable ${name} to be set`;
  }
  return undefined;
}

function withVariables(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string')
    return value.replaceAll(REFERENCE, (whole, name?: string) =>
      whole === ESCAPED || name === undefined ? '${' : (variables.get(name) ?? ''),
    );
  if (Array.isArray(value)) return value.map((each) => withVariables(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withVariables(child, variables)]));
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
