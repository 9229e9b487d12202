import { isDeepStrictEqual } from 'node:util';
import { RequestError } from '../base/errors/request-error.js';
import { wellFormed } from '../base/options/characters.js';
import { nearField } from '../base/options/near-field.js';
import { SEARCH_READERS } from '../base/search-options/read-search-options.js';
import { HEADER_OPTIONS } from '../kinds/call-options.js';
import everyKind from '../kinds/foreign-names/every-kind.json' with { type: 'json' };
import type { ForeignNames } from '../kinds/kind.js';
import { ROUTING_READERS } from '../routing/read-routing-preferences.js';

/** Gives the transport's name of a field. */
type NameOf = (field: string) => string;

/**
 * Finds the fields that other names mean.
 *
 * @param fields their names in process; of nested fields, their paths.
 * @param tables a later table wins.
 */
export function fieldNames(fields: readonly string[], tables: readonly ForeignNames[], nameOf: NameOf) {
  const own = new Map(fields.map((field) => [plainName(field.slice(field.indexOf('.') + 1)), nameOf(field)]));
  const foreign = new Map(
    tables
      .flatMap(({ replacements }) => Object.entries(replacements))
      .filter(([field]) => fields.includes(field))
      .flatMap(([field, names]) => names.map((name) => [plainName(name), nameOf(field)] as const)),
  );
  const refused = new Set(tables.flatMap((table) => (table.refused ?? []).map(plainName)));

  function replacementOf(name: string): string | undefined {
    const plain = plainName(name);
    return own.get(plain) ?? foreign.get(plain);
  }

  function nearestTo(name: string): string | undefined {
    const near = refused.has(plainName(name)) ? undefined : nearField(plainName(name), own.keys());
    return near === undefined ? undefined : own.get(near);
  }

  return {
    /** The field that does the same, written as callers write it. */
    replacementOf,
    /** The field that a misspelled name probably means. */
    nearestTo,
    /** @throws RequestError `unsupported_field` for a name that means a field. */
    refuseMeant(name: string): void {
      const replacement = replacementOf(name);
      if (replacement !== undefined)
        throw unsupportedField(name, (param) => `In place of ${param}, use ${replacement}.`);
      const near = nearestTo(name);
      if (near !== undefined) throw unsupportedField(name, (param) => `${param} is no field: did you mean "${near}"?`);
    },
  };
}

/** The names of the fields of one kind of calls. */
export type KindNames = ReturnType<typeof kindNames>;

export function kindNames(fields: readonly string[], foreign: ForeignNames, nameOf: NameOf) {
  const known = new Set(fields.map(nameOf));
  // Made for the first unknown name, to keep the start of a gateway fast.
  let made: ReturnType<typeof unknownNames> | undefined;
  const unknown = () => (made ??= unknownNames(fields, foreign, nameOf));

  return {
    replacementOf: (name: string) => unknown().replacementOf(name),
    /**
     * Refuses an unknown field, unless its name begins with `x_`, or it asks for nothing, or it only affects how a model writes.
     *
     * @throws RequestError `unsupported_field`.
     */
    refuseUnknown(given: object): void {
      for (const [name, value] of Object.entries(given)) {
        const isFree = value === null || value === undefined || name.startsWith('x_');
        if (known.has(name) || isFree || unknown().isIgnored(name, value)) continue;
        unknown().refuseMeant(name);
        throw unsupportedField(name, (param) => `Leave out ${param}. The fields are ${[...known].join(', ')}.`);
      }
    },
  };
}

/** What becomes of the fields of another service's form. Names are as on the wire. */
export interface FormFields {
  /** Fields that are translated. */
  readonly read: readonly string[];
  /** Fields that change no answer. */
  readonly ignored: readonly string[];
  /** Fields that are refused, with the field of a question to use instead; `null` for none. */
  readonly refused: Readonly<Record<string, string | null>>;
}

/** Most unknown fields of a request that are compared with known names. */
const MOST_COMPARED = 100;

/**
 * Builds the check of the names of a form's fields. Refuses the listed names, names that mean a field of a question, and misspelled names, unless they ask for
 * nothing.
 *
 * @param fields of a question, by their names in process.
 * @returns a function that gives the number of all other unknown names, and throws RequestError `unsupported_field`.
 */
export function formNamesCheck(
  { read, ignored, refused }: FormFields,
  { fields, foreign, nameOf }: { fields: readonly string[]; foreign: ForeignNames; nameOf: NameOf },
): (given: object) => number {
  const taken = new Set([...read, ...ignored]);
  /** Whether the form takes a field that a name means: its clients cannot send others. */
  const isTaken = (meant: string) => meant.startsWith('the header ') || read.includes(meant.replace(/\..*$/s, ''));
  const places = new Map(Object.entries(refused).map(([name, place]) => [plainName(name), place]));
  let made: ReturnType<typeof unknownNames> | undefined;

  return (given) => {
    let unknown = 0;
    let compared = 0;
    for (const [name, value] of Object.entries(given)) {
      if (taken.has(name) || value === null || value === undefined) continue;
      made ??= unknownNames(fields, foreign, nameOf);
      if (made.isIgnored(name, value)) continue;
      const place = places.get(plainName(name));
      const meant = made.replacementOf(name) ?? (compared++ < MOST_COMPARED ? made.nearestTo(name) : undefined);
      if (!asksForSomething(meant ?? plainName(name), value)) continue;
      if (place) throw unsupportedField(name, (param) => `In place of ${param}, use ${nameOf(place)}.`);
      if (place === null || (meant !== undefined && !isTaken(meant)))
        throw unsupportedField(name, (param) => `Leave out ${param}.`);
      if (meant !== undefined) made.refuseMeant(name);
      unknown += 1;
    }
    return unknown;
  };
}

/** Features that are on unless a field is `false`: by the field of a question, else by the plain name. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set([
  'include_citations',
  'search',
  'routing',
  'routing.fallbacks',
  'the header Cache-Control',
  'enablesearch',
]);

/** Clients send empty lists, objects and texts in fields that they do not use. */
function asksForSomething(meant: string, value: unknown): boolean {
  if (value === false) return ON_BY_DEFAULT.has(meant);
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== '';
}

function unknownNames(fields: readonly string[], foreign: ForeignNames, nameOf: NameOf) {
  const nested = Object.entries({ search: SEARCH_READERS, routing: ROUTING_READERS })
    .filter(([field]) => fields.includes(field))
    .flatMap(([field, readers]) => Object.keys(readers).map((option) => `${field}.${option}`));
  const names = fieldNames([...HEADER_OPTIONS, ...nested, ...fields], [everyKind, foreign], nameOf);
  const ignored = new Map(ignoredNames(foreign).map(([name, values]) => [plainName(name), values]));
  return {
    ...names,
    isIgnored(name: string, value: unknown): boolean {
      const plain = plainName(name);
      if (!ignored.has(plain) || names.replacementOf(name) !== undefined) return false;
      return ignored.get(plain)?.some((each) => isDeepStrictEqual(each, value)) ?? true;
    },
  };
}

/** Names without effect: with one of the values, or with any where there is no list. */
export function ignoredNames(foreign: ForeignNames): [name: string, values: readonly unknown[] | undefined][] {
  const tables: readonly ForeignNames[] = [everyKind, foreign];
  return tables.flatMap(({ ignored = [], ignoredValues = {} }) => [
    ...ignored.map((name): [string, undefined] => [name, undefined]),
    ...Object.entries(ignoredValues),
  ]);
}

/** @param advice gets the name as it can be shown: any text can be a name. */
export function unsupportedField(name: string, advice: (param: string) => string): RequestError {
  const param = wellFormed(name.slice(0, MAX_NAME_LENGTH));
  return new RequestError('unsupported_field', { param, note: advice(param) });
}

/** Most characters of a name in an error. */
const MAX_NAME_LENGTH = 64;

/** Writes `include_domains`, `includeDomains`, `Include-Domains` and the query string's `include_domains[]` alike. */
export function plainName(name: string): string {
  return name.replaceAll(/[-_]|\[.*$/gs, '').toLowerCase();
}
