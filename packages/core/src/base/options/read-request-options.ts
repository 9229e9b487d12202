import type { FieldIssue } from '../errors/error-details.js';
import { wellFormed } from './characters.js';
import { nearField } from './near-field.js';

/** The options that were read, or their problems. */
export interface ReadOptions<Options> {
  /** `undefined` without options, and with problems. */
  readonly value: Options | undefined;
  readonly issues: readonly FieldIssue[];
}

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface OptionReader {
  /** @returns the normalized value; `undefined` for a wrong value. */
  read(value: unknown): unknown;
  /** The expected value, after "must be". */
  readonly expected: string;
  /** The JSON Schema of the option, with a description, for the API document. May accept more values than `read`, if JSON Schema cannot express a rule. */
  readonly schema: JsonSchema;
}

/** Returns the field that an unknown name means; `undefined` for none. */
export type ReplacementOf = (name: string) => string | undefined;

export interface OptionsReading<Options> {
  /** The field of the request that holds the options. */
  readonly field: string;
  /** The name of an option in messages, such as `search option`. */
  readonly noun: string;
  /** In the order in which options are named to callers. */
  readonly readers: Readonly<Record<keyof Options & string, OptionReader>>;
  /** Returns the transport's name of an option. */
  nameOf(option: string): string;
  readonly replacementOf?: ReplacementOf | undefined;
  /** Finds contradictions between valid options. */
  contradictions?(options: Options, pathOf: (option: keyof Options & string) => string): FieldIssue[];
}

const NOTHING: ReadOptions<never> = { value: undefined, issues: [] };
/** The most characters of an unknown option's name in an error. */
const MAX_NAME_LENGTH = 64;

/** Builds the reader of a field that is an object of options. Unknown options and wrong values are issues; `null` and `{}` mean no options. */
export function createOptionsReader<Options extends object>(reading: OptionsReading<Options>) {
  const { field, noun, readers, nameOf } = reading;
  const options = new Map(Object.keys(readers).map((option) => [nameOf(option), option]));

  return (given: unknown): ReadOptions<Options> => {
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
    const replacement = reading.replacementOf?.(name);
    if (replacement !== undefined) return `: use ${replacement}`;
    const near = nearField(name, options.keys());
    return near === undefined ? '' : `: did you mean "${near}"?`;
  }
}

/** Reads options in a fixed order, so that equal requests give equal results in any order of fields. */
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
