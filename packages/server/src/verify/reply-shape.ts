import shapes from './shapes.json' with { type: 'json' };

/** The paths of the fields of a reply, such as `choices[].message.content`. */
export type Shape = ReadonlySet<string>;

/** By provider: fields, by the numbers of the shapes that have them. A test makes the file from the fixtures. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = shapes;

/** The shapes of a provider's fixtures; none of a provider without any. */
export function knownShapes(id: string): Shape[] {
  const known: Set<string>[] = [];
  for (const [numbers, paths] of Object.entries(KNOWN[id] ?? {}))
    for (const number of numbers.split(',').map(Number))
      for (const path of paths) (known[number] ??= new Set()).add(path);
  return known;
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
