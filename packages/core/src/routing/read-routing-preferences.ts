import { formatUsd, readUsd } from '../base/money.js';
import { hasMoreCharacters } from '../base/options/characters.js';
import { MAX_POLICIES, POLICY_PATTERN, readPolicies } from '../base/options/policies.js';
import { createOptionsReader, type OptionReader, type ReplacementOf } from '../base/options/read-request-options.js';
import { FALLBACK_ON, fallbackOnSchema } from './fallback-on.js';
import {
  FALLBACK_CAUSES,
  MAX_ASKED_FALLBACKS,
  ROUTE_KEYS,
  ROUTE_SORTS,
  type RoutingPreferences,
} from './routing-preferences.js';

/** The longest name of a model. */
const MAX_NAME_CHARACTERS = 256;
/** Longer than any amount. */
const MAX_AMOUNT_CHARACTERS = 64;

export const ROUTING_READERS: Readonly<Record<keyof RoutingPreferences, OptionReader>> = {
  fallbacks: {
    read: readNames,
    expected: `an array of at most ${MAX_ASKED_FALLBACKS} models such as "exa/answer"`,
    schema: {
      description: 'Models to try, in order, after the first has failed, instead of those that the operator has set.',
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARACTERS },
      maxItems: MAX_ASKED_FALLBACKS,
    },
  },
  fallbackOn: {
    read: (value) => fallbackOnSchema.safeParse(value).data,
    expected: FALLBACK_ON,
    schema: {
      description:
        'After what the next model is asked. The operator has to allow `empty`: then each empty list is charged too.',
      type: 'array',
      items: { type: 'string', enum: FALLBACK_CAUSES },
      contains: { const: 'error' },
      maxItems: 2,
    },
  },
  sort: {
    read: (value) => ROUTE_SORTS.find((known) => known === value),
    expected: '"price" or "latency"',
    schema: {
      description: 'Tries the cheapest model first, or the one that has lately answered fastest.',
      type: 'string',
      enum: ROUTE_SORTS,
    },
  },
  maxCost: {
    read: readAmount,
    expected: 'a decimal string of US dollars such as "0.01", zero or more',
    schema: {
      description: 'US dollars: models for which more would be held are not asked.',
      type: 'string',
      maxLength: MAX_AMOUNT_CHARACTERS,
      pattern: String.raw`^\d{1,12}(?:\.\d{1,9}0{0,21})?$`,
    },
  },
  require: {
    read: readPolicies,
    expected: `an array of 1 to ${MAX_POLICIES} policies such as "zdr", in lower case`,
    schema: {
      description: 'Asks only models whose `policies` include all of these.',
      type: 'array',
      items: { type: 'string', pattern: POLICY_PATTERN },
      minItems: 1,
      maxItems: MAX_POLICIES,
    },
  },
  keys: {
    read: (value) => ROUTE_KEYS.find((known) => known === value),
    expected: '"own" or "shared"',
    schema: {
      description: 'Whose keys of vendors are used: only those of the organization, or only those of the gateway.',
      type: 'string',
      enum: ROUTE_KEYS,
    },
  },
};

/**
 * Builds the check of a call's routing preferences.
 *
 * @param nameOf returns the transport's name of a preference.
 * @param replacementOf returns the field that an unknown name means.
 */
export function createRoutingReader(nameOf: (preference: string) => string, replacementOf?: ReplacementOf) {
  return createOptionsReader<RoutingPreferences>({
    field: 'routing',
    noun: 'routing preference',
    readers: ROUTING_READERS,
    nameOf,
    replacementOf,
  });
}

function readNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length <= MAX_ASKED_FALLBACKS && value.every(isName) ? [...value] : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !hasMoreCharacters(value, MAX_NAME_CHARACTERS);
}

/** Normalizes an amount: `0.010` becomes `0.01`. */
function readAmount(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_AMOUNT_CHARACTERS) return undefined;
  const amount = readUsd(value);
  return amount === undefined || amount < 0n ? undefined : formatUsd(amount);
}
