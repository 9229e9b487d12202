import type { DomainRule } from '../domain-rule.js';
import { RequestError } from '../errors/request-error.js';
import { madeIn } from '../made-in.js';
import { domainFilter, hostOf, isBelow } from './domain-filter.js';
import { MAX_DOMAINS } from './read-search-options.js';
import type { SearchOptions } from './search-options.js';

/** The rules of a caller as one. */
export interface DomainRules {
  /** Pages have to be below one of them; `undefined` for all. May be empty: then no page is within. */
  readonly only: readonly string[] | undefined;
  /** No page may be below one of them. */
  readonly never: readonly string[];
  /** Whether a page is within. A text that is no address is not. */
  readonly allows: (url: string) => boolean;
  /** Equal for equal rules alone: names them wherever replies are kept for later calls. */
  readonly name: string;
}

/** Which pages a call may show. */
export interface PageScope {
  /** Whether a page is within the rules of the caller and the domains of the call. */
  readonly shows: (url: string) => boolean;
  /** They hold for addresses in texts too. `undefined` for a caller without rules. */
  readonly rules: DomainRules | undefined;
}

/** Their addresses lead to pages of any host: Google's models cite by them. */
const REDIRECTORS = ['vertexaisearch.cloud.google.com'];
const merged = new WeakMap<readonly DomainRule[], DomainRules>();

/** Made once for each list, which a key keeps. @returns `undefined` for a caller without rules. */
export function rulesOf(list: readonly DomainRule[] | undefined): DomainRules | undefined {
  return list === undefined || list.length === 0 ? undefined : madeIn(merged, list, () => mergedRules(list));
}

function mergedRules(list: readonly DomainRule[]): DomainRules {
  const never = outermost(list.flatMap((rule) => ('never' in rule ? rule.never : [])));
  const excluded = new Set([...never, ...REDIRECTORS]);
  const only = list
    .flatMap((rule) => ('only' in rule ? [rule.only] : []))
    .reduce<readonly string[] | undefined>(narrower, undefined)
    ?.filter((domain) => !isBelow(domain, excluded));
  const included = only && new Set(only);
  return {
    only,
    never,
    allows(url) {
      const host = hostOf(url);
      return host !== '' && (included === undefined || isBelow(host, included)) && !isBelow(host, excluded);
    },
    name: JSON.stringify([only ?? null, never]),
  };
}

/** The domains of both lists: of two names, one below the other, that below. */
function narrower(one: readonly string[] | undefined, other: readonly string[]): readonly string[] {
  const [ones, others] = [new Set(one ?? other), new Set(other)];
  const within = [...ones].filter((domain) => isBelow(domain, others));
  return outermost([...within, ...other.filter((domain) => isBelow(domain, ones))]);
}

/** Without names below other names, sorted, each once. */
function outermost(domains: readonly string[]): readonly string[] {
  const all = new Set(domains);
  return [...all].filter((name) => !isBelow(name.slice(name.indexOf('.') + 1), all)).sort();
}

/**
 * The options of a search within rules, as far as options can say them: one list of at most 20 names. Of two lists, only the included domains are said. A reply
 * is checked in any case.
 *
 * @throws RequestError `domains_exclude_all` where no domain is left.
 */
export function searchWithin(
  search: SearchOptions | undefined,
  { only, never }: DomainRules,
): SearchOptions | undefined {
  const { includeDomains, excludeDomains = [], ...others } = search ?? {};
  const without = outermost([...never, ...excludeDomains]);
  const excluded = new Set(without);
  const asked = includeDomains === undefined ? only : narrower(only, includeDomains);
  const included = asked?.filter((domain) => !isBelow(domain, excluded));
  if (included?.length === 0) throw new RequestError('domains_exclude_all');
  const said = included ?? without;
  if (said.length > MAX_DOMAINS) return search;
  return included === undefined ? { ...others, excludeDomains: said } : { ...others, includeDomains: said };
}

/** @param search as the caller sent it. @returns `undefined` where every page may be shown. */
export function pageScope(search: SearchOptions | undefined, rules: DomainRules | undefined): PageScope | undefined {
  const asks = domainFilter(search);
  if (rules === undefined) return asks && { shows: asks, rules };
  return { shows: asks === undefined ? rules.allows : (url) => rules.allows(url) && asks(url), rules };
}
