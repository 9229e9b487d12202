import type { FieldIssue } from '../errors/error-details.js';
import { nearField } from './near-field.js';
import { wellFormed } from './well-formed.js';

/** What was read: the options, or what is wrong with them. */
export interface ReadOptions<Options> {
  /** `undefined` when nothing is asked, and when something is wrong. */
  readonly value: Options | undefined;
  readonly issues: readonly FieldIssue[];
}

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface OptionReader {
  /** @returns the value in its one spelling; `undefined` for a wrong one. */
  read(value: unknown): unknown;
  /** What would have been right, after "must be". */
  readonly expected: string;
  /** What is read, with a description, for the document of the API. It may take more than `read` does, where no schema can say it. */
  readonly schema: JsonSchema;
}

/** Where a name that is no field belongs: a place, `null` where there is none; `undefined` for a name that means nothing here. */
export type PlaceOf = (name: string) => string | null | undefined;

export interface OptionsReading<Options> {
  /** The field of the request that holds the options. */
  readonly field: string;
  /** What one of them is called in messages, such as `search option`. */
  readonly noun: string;
  /** In the order in which options are named to callers. */
  readonly readers: Readonly<Record<keyof Options & string, OptionReader>>;
  /** What the transport calls an option. */
  nameOf(option: string): string;
  /** Where a name that is none of the options belongs, if anywhere. */
  readonly placeOf?: PlaceOf | undefined;
  /** Looks for options that contradict each other, once each is right by itself. */
  contradictions?(options: Options, pathOf: (option: keyof Options & string) => string): FieldIssue[];
}

const NOTHING: ReadOptions<never> = { value: undefined, issues: [] };
/** Of the name of an unknown option, as much as the caller gets back. */
const MAX_NAME_LENGTH = 64;

/** Builds the check of a field that is an object of options: unknown ones and wrong values are issues, `null` and `{}` ask for nothing. */
export function createOptionsReader<Options extends object>(
  reading: OptionsReading<Options>,
): (given: unknown) => ReadOptions<Options> {
  const { field, noun, readers, nameOf } = reading;
  const options = new Map(Object.keys(readers).map((option) => [nameOf(option), option]));

  return (given) => {
    if (given === undefined || given === null) return NOTHING;
    if (typeof given !== 'object' || Array.isArray(given)) return wrong(field, `must be an object of ${noun}s`);
    const known = Object.entries(given).filter(([, value]) => value !== undefined);
    const stranger = known.find(([name]) => !options.has(name));
    if (stranger !== undefined)
      return wrong(
        `${field}.${wellFormed(stranger[0].slice(0, MAX_NAME_LENGTH))}`,
        `is no ${noun}${adviceOf(stranger[0])}`,
      );
    return readAll(reading, new Map(known.map(([name, value]) => [options.get(name), value])));
  };

  function adviceOf(name: string): string {
    const place = reading.placeOf?.(name);
    if (typeof place === 'string') return `: use ${place}`;
    const near = nearField(name, options.keys());
    return near === undefined ? '' : `: did you mean "${near}"?`;
  }
}

/** In the order of the options, whatever the caller's was: what is asked for twice is equal twice. */
function readAll<Options extends object>(
  { field, readers, nameOf, contradictions }: OptionsReading<Options>,
  given: ReadonlyMap<unknown, unknown>,
): ReadOptions<Options> {
  const pathOf = (option: string) => `${field}.${nameOf(option)}`;
  const issues: FieldIssue[] = [];
  const read: Record<string, unknown> = {};
  for (const [option, reader] of Object.entries<OptionReader>(readers)) {
    if (!given.has(option)) continue;
    const value = reader.read(given.get(option));
    if (value === undefined) issues.push({ path: pathOf(option), message: `must be ${reader.expected}` });
    else read[option] = value;
  }
  const options = read as Options;
  if (issues.length === 0 && contradictions !== undefined) issues.push(...contradictions(options, pathOf));
  if (issues.length > 0 || Object.keys(read).length === 0) return { value: undefined, issues };
  return { value: options, issues };
}

function wrong(path: string, message: string): ReadOptions<never> {
  return { value: undefined, issues: [{ path, message }] };
}
