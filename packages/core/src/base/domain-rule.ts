import { readDomain } from './domain-names.js';
import { refusal } from './options/check-argument.js';

/** Which web sites an answer may come from: only these domains, or all but these. A domain stands for its host and all hosts below it. */
export type DomainRule =
  | {
      /** 1 to 1,000 host names. */
      readonly only: readonly string[];
    }
  | {
      /** 1 to 1,000 host names. */
      readonly never: readonly string[];
    };

/** Most domains of a rule. */
export const MAX_RULE_DOMAINS = 1_000;
/** The expected form of a rule, for errors. */
export const DOMAIN_RULE = `{ only: [...] } or { never: [...] } with 1 to ${MAX_RULE_DOMAINS} host names such as "example.org", or null`;

/** @returns the rule with its domains in lower case, with A-labels, sorted, each once; `undefined` for any other value. */
export function readDomainRule(value: unknown): DomainRule | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return undefined;
  const { only, never } = value as { readonly only?: unknown; readonly never?: unknown };
  const given = only ?? never;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_RULE_DOMAINS) return undefined;
  const domains = given.map(readDomain).filter((domain) => domain !== undefined);
  if (domains.length < given.length) return undefined;
  const sorted = Object.freeze([...new Set(domains)].sort());
  return Object.freeze(only === undefined ? { never: sorted } : { only: sorted });
}

/** The rule to store; `null` and absent stand for no rule. @throws LedgerError `invalid_argument`. */
export function checkDomainRule(name: string, rule: DomainRule | null | undefined): DomainRule | null | undefined {
  if (rule == null) return rule;
  const read = readDomainRule(rule);
  if (read === undefined) throw refusal('invalid_argument', name, { found: rule, expected: DOMAIN_RULE });
  return read;
}
