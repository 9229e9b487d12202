import { readFileSync } from 'node:fs';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import type { Environment } from './environment.js';
import { problem } from './problems.js';

const NOT_A_NAME = '__proto__';
/** Far deeper than any real configuration. */
const MAX_DEPTH = 100;
const UNEXPECTED = 'Unexpected token';
const ESCAPED = '$${';
/** `$${` for a literal `${`, a variable, or a malformed reference. */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g;
const OTHER_NAME = 'another name: JavaScript keeps this one to itself';

type Variables = ReadonlyMap<string, string | undefined>;

const schema = (variables: Variables) =>
  z.unknown().transform((value, context) => withVariables(value, [], { variables, context }));

/** Reads the configuration file as it stands. @throws ConfigurationError if the file is missing or is not JSON. */
export function readJsonFile(path: string): unknown {
  return parseJson(readText(path));
}

/**
 * Replaces references to environment variables in the texts of the file.
 *
 * @throws ConfigurationError for each impossible name of an entry, and each reference to an unset variable.
 */
export function resolveVariables(value: unknown, environment: Environment): unknown {
  return parseOptions(schema(new Map(Object.entries(environment))), value, '');
}

interface Deps {
  readonly variables: Variables;
  readonly context: z.RefinementCtx;
}

/** @throws ConfigurationError for values nested deeper than {@link MAX_DEPTH}. */
function withVariables(value: unknown, path: readonly PropertyKey[], deps: Deps): unknown {
  if (typeof value === 'string') return withText(value, path, deps);
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > MAX_DEPTH)
    throw problem('SEARCHGATE_CONFIG', 'deeply nested values', `at most ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((each, index) => withVariables(each, [...path, index], deps));
  const entries = Object.entries(value).map(([name, child]) => {
    const message = problemOfName(name);
    if (message !== undefined) {
      const issues = [{ code: 'custom' as const, path: [], message }];
      deps.context.addIssue({ code: 'invalid_key', origin: 'record', path: [...path, name], issues, input: value });
    }
    return [name, withVariables(child, [...path, name], deps)];
  });
  return Object.fromEntries(entries);
}

function problemOfName(name: string): string | undefined {
  // Entries are copied one by one into new objects: an entry of this name would be lost silently.
  if (name === NOT_A_NAME) return OTHER_NAME;
  return name.includes('${') ? 'another name: variables stand in values alone' : undefined;
}

function withText(text: string, path: readonly PropertyKey[], { variables, context }: Deps): string {
  return text.replaceAll(REFERENCE, (whole, name?: string) => {
    if (whole === ESCAPED) return '${';
    const value = name === undefined ? undefined : variables.get(name);
    if (value) return value;
    const message =
      name === undefined
        ? 'a variable such as ${NAME}, or $${ for the characters themselves'
        : `the environment variable ${name} to be set`;
    context.addIssue({ code: 'custom', path: [...path], message });
    return whole;
  });
}

function readText(path: string): string {
  try {
    // Some editors write a byte order mark.
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
    // The parser's message may quote a secret: only the position is shown.
    const place = placeOf(text, positionOf(text, (error as Error).message));
    throw problem('SEARCHGATE_CONFIG', `no JSON from ${place} on`, 'a JSON object');
  }
}

function positionOf(text: string, message: string): number {
  const said = /position (\d+)/.exec(message)?.[1];
  if (said !== undefined) return Number(said);
  // The parser gives no position for an unexpected token: the shortest prefix with the same error ends with that token.
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
