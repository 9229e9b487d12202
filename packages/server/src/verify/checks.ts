import { formatUsd, type GatewayEvent, type NanoUsd } from '@searchgate/core';
import type { LedgerEntry } from '@searchgate/core/ledger';
import type { SearchOutcome } from '@searchgate/core/provider-kit';
import type { Exchange, Outcome } from './observed-provider.js';
import { BEST_DOCUMENT, type PlannedCall, TEXTS, WRONG_KEY } from './planned-calls.js';
import { compareShapes, type Shape, shapeOf } from './reply-shape.js';

/** What was seen of a call. */
export interface Observation {
  readonly call: PlannedCall;
  /** The price of the call by the model's row. */
  readonly quoted: NanoUsd;
  /** The reason of a refusal; `null` for an answer. */
  readonly reason: string | null;
  readonly outcomes: readonly Outcome[];
  readonly exchanges: readonly Exchange[];
  readonly events: readonly GatewayEvent[];
  readonly entries: readonly LedgerEntry[];
  readonly durationMs: number;
  /** Parts of a stream; `null` for a whole answer. */
  readonly parts: number | null;
  /** Of the provider's fixtures; empty where there are none to compare with. */
  readonly shapes: readonly Shape[];
}

/** What a check found. A warning is to be looked at; a fault is wrong. */
export interface Finding {
  readonly level: 'fault' | 'warning';
  readonly message: string;
}

type Check = (seen: Observation) => Finding | false;

const fault = (message: string): Finding => ({ level: 'fault', message });
const warning = (message: string): Finding => ({ level: 'warning', message });
const list = (values: readonly unknown[]) => `${values.slice(0, 8).join(', ')}${values.length > 8 ? ', …' : ''}`;

const lastAttempt = ({ events }: Observation) => events.findLast((event) => event.type === 'attempt_finished');
const chargeOf = ({ entries }: Observation) => entries.find((entry) => entry.kind === 'charge');

/** How the last attempt ended, in one line. */
function ending(seen: Observation): string {
  const last = lastAttempt(seen);
  if (last === undefined) return String(seen.reason);
  const status = last.upstreamStatus === null ? '' : `, HTTP ${last.upstreamStatus}`;
  return `${last.outcome}${status}${last.detail === '' ? '' : `: ${last.detail}`}`;
}

/** The addresses that an adapter read from replies. What has none is no page, and dropped. */
function urlsOf({ outcomes }: Observation): string[] {
  const pages = outcomes.flatMap((each): SearchOutcome['results'] => {
    if ('citations' in each) return each.citations;
    return 'results' in each ? each.results : [];
  });
  return pages.flatMap(({ url }) => url || []);
}

/** The lower-case host of a web address; empty for anything else. */
const hostOf = (url: string) => (/^https?:/.test(url) && URL.canParse(url) ? new URL(url).hostname : '');
const isWithin = (host: string, domains: readonly string[] = []) =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** Each has a reply that it finds: a test demands one. */
export const CHECKS = {
  outcome(seen) {
    const { reason, call } = seen;
    // A filter may leave no page.
    if (call.search && reason === 'no_answer_found') return warning(ending(seen));
    return reason !== null && reason !== 'upstream_invalid_response' && fault(ending(seen));
  },

  completeness: (seen) =>
    seen.reason === 'upstream_invalid_response' &&
    fault(`no usable reply, or without the proof that it is whole: ${ending(seen)}`),

  content({ call, outcomes, reason }) {
    const isEmpty = (each: Outcome) =>
      ('results' in each && each.results.length === 0) ||
      ('pages' in each && !each.pages.some((page) => 'content' in page && page.content?.trim()));
    if (reason !== null || !outcomes.some(isEmpty)) return false;
    return call.search ? warning('nothing was found') : fault('nothing was found or read');
  },

  citations(seen) {
    const urls = urlsOf(seen);
    const wrong = urls.filter((url) => hostOf(url) === '');
    if (wrong.length > 0) return fault(`no web addresses: ${list(wrong)}`);
    return seen.reason === null && seen.call.kind === 'answer' && urls.length === 0 && fault('no citation');
  },

  domains(seen) {
    const { includeDomains: include, excludeDomains: exclude } = seen.call.search ?? {};
    const hosts = urlsOf(seen).flatMap((url) => hostOf(url) || []);
    const outside = hosts.filter((host) => (include && !isWithin(host, include)) || isWithin(host, exclude));
    return outside.length > 0 && fault(`outside of the asked domains: ${list(outside)}`);
  },

  ranks({ outcomes }) {
    const ranks = outcomes.flatMap((each) => ('ranks' in each ? each.ranks : []));
    const [best] = ranks.toSorted((a, b) => b.score - a.score);
    const isWrong = best !== undefined && best.index !== BEST_DOCUMENT;
    return isWrong && fault(`the document with the answer is not the first: ${JSON.stringify(ranks)}`);
  },

  vectors({ call, outcomes }) {
    const vectors = outcomes.flatMap((each) => ('embeddings' in each ? each.embeddings : []));
    const sizes = vectors.map(({ vector }) =>
      typeof vector === 'string' ? Buffer.from(vector, 'base64').length / 4 : vector.length,
    );
    const wanted = call.dimensions ?? call.row.dimensions ?? sizes[0];
    const isRight = sizes.length === TEXTS.length && sizes.every((size) => size === wanted);
    const message = `vectors of ${list(sizes)} numbers, wanted ${TEXTS.length} of ${wanted}`;
    return vectors.length > 0 && !isRight && fault(message);
  },

  cost(seen) {
    const { call, quoted } = seen;
    const { amount = 0n, costSource } = chargeOf(seen) ?? {};
    const message = `${formatUsd(amount)} USD, by the row ${formatUsd(quoted)} USD`;
    if (amount > 2n * quoted) return fault(message);
    // Other rows quote the most that may come, and a short question has few tokens.
    const isUsual = (call.kind === 'answer' || call.kind === 'search') && costSource === 'reported';
    return isUsual && 2n * amount < quoted && warning(message);
  },

  price({ events }) {
    const found = events.find((event) => event.type === 'cost_mismatch' || event.type === 'cost_implausible');
    if (found === undefined) return false;
    const other = found.type === 'cost_mismatch' ? `by row and usage ${formatUsd(found.computed)} USD` : 'not believed';
    return fault(`reported ${formatUsd(found.reported)} USD, ${other}`);
  },

  source: (seen) =>
    chargeOf(seen)?.costSource === 'ceiling' && warning('neither cost nor usage came: the ceiling is charged'),

  usage({ call, quoted, outcomes, reason }) {
    const isCounted = ({ cost: { reported, usage = {} } }: Outcome) =>
      reported !== undefined || [usage.inputTokens, usage.outputTokens, usage.searchUnits].some((count) => count);
    const isByUnits = call.row.prices.some(
      (price) => price.perMillionTokens || price.perSearchUnit || 'perMillionOutputTokens' in price,
    );
    const isWrong = reason === null && quoted > 0n && isByUnits && !outcomes.every(isCounted);
    return isWrong && fault('the price is of units, and the reply counts none');
  },

  deadline: ({ call, durationMs, reason }) =>
    reason === null &&
    2 * durationMs > call.row.timeoutMs &&
    warning(`${Math.round(durationMs)} ms, more than half of the deadline of ${call.row.timeoutMs} ms`),

  stream: ({ parts }) => parts !== null && parts < 2 && warning('the stream came in one piece'),

  'new fields'(seen) {
    const added = comparedFields(seen, 'added');
    return added.length > 0 && warning(`in no fixture: ${list(added)}`);
  },

  'gone fields'(seen) {
    const gone = comparedFields(seen, 'gone');
    return gone.length > 0 && warning(`in the nearest fixture, and not in the reply: ${list(gone)}`);
  },

  'wrong key': (seen) =>
    lastAttempt(seen)?.outcome !== 'upstream_auth_failed' && fault(`not upstream_auth_failed, but ${ending(seen)}`),
} satisfies Record<string, Check>;

export type CheckName = keyof typeof CHECKS;

function comparedFields({ exchanges, shapes }: Observation, which: 'added' | 'gone'): string[] {
  if (shapes.length === 0) return [];
  const replies = exchanges.filter(({ status }) => status !== null && status < 300);
  return [...new Set(replies.flatMap(({ text }) => compareShapes(shapeOf(text), shapes)[which]))];
}

/** What is found of a call, by the checks' names. A call with a wrong key is for one check alone. */
export function findingsOf(seen: Observation): (Finding & { readonly check: CheckName })[] {
  const isForKey = seen.call.variant === WRONG_KEY;
  return (Object.entries(CHECKS) as [CheckName, Check][])
    .filter(([name]) => (name === WRONG_KEY) === isForKey)
    .flatMap(([check, find]) => {
      const finding = find(seen);
      return finding === false ? [] : [{ check, ...finding }];
    });
}
