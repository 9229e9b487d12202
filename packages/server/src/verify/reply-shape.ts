import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of the fields of a reply, such as `choices[].message.content`. */
export type Shape = ReadonlySet<string>;

/** Files of several replies, and of what is expected. */
const NO_REPLIES = /^(?:errors|failures|expected-answers)\.json$/;

/** The shapes of a provider's fixtures; none without a folder, which only a checkout has. */
export function fixtureShapes(providers: string | null, id: string): Shape[] {
  const folder = join(providers ?? '', id, 'fixtures');
  if (providers === null || !existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => !NO_REPLIES.test(name));
  return files.map((name) => shapeOf(readFileSync(join(folder, name), 'utf8')));
}

/** The shape of a JSON reply, or of all events of a stream. */
export function shapeOf(text: string): Shape {
  const fields = valuesIn(text).flatMap((value) => [...fieldsIn(value)]);
  return new Set(fields.map(({ path }) => path).filter((path) => path !== '' && !path.endsWith('[]')));
}

/** The JSON values of a reply: one, or those of its events. */
export function valuesIn(text: string): unknown[] {
  const parts =
    parsed(text) === undefined ? [...text.matchAll(/^data: *(.*)$/gm)].map(([, data = '']) => data) : [text];
  return parts.map(parsed).filter((value) => value !== undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Field {
  readonly path: string;
  /** The last name of the path. */
  readonly name: string;
  readonly value: unknown;
}

/** A value, and all fields and elements in it. */
export function* fieldsIn(value: unknown, path = '', name = ''): Generator<Field> {
  yield { path, name, value };
  if (Array.isArray(value)) for (const element of value) yield* fieldsIn(element, `${path}[]`, name);
  else if (typeof value === 'object' && value !== null)
    for (const [own, field] of Object.entries(value)) yield* fieldsIn(field, path === '' ? own : `${path}.${own}`, own);
}

/** Compares a reply with the fixtures: fields of none of them, and those that the most similar one has and the reply lacks. */
export function compareShapes(live: Shape, known: readonly Shape[]): { added: string[]; gone: string[] } {
  const isKnown = (path: string) => known.some((shape) => shape.has(path));
  const likeness = (shape: Shape) => {
    const common = [...shape].filter((path) => live.has(path)).length;
    return common / (shape.size + live.size - common || 1);
  };
  const [nearest] = known.toSorted((a, b) => likeness(b) - likeness(a));
  return {
    added: outermost([...live].filter((path) => !isKnown(path))),
    gone: outermost([...(nearest ?? [])].filter((path) => !live.has(path))),
  };
}

/** Without the fields inside of another one of the list. */
function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`) || path.startsWith(`${other}[`)));
}
