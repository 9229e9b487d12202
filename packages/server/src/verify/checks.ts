import { formatUsd } from '@searchgate/core';
import { BEST_DOCUMENT, TEXTS, WRONG_KEY } from './planned-calls.js';
import { compareShapes, type Shape, shapeOf } from './reply-shape.js';
import type { Observation, Outcome } from './verifier.js';

/** What was seen of a call. `quoted`: its price by the model's row, in nanodollars; `shapes`: of the fixtures, empty without any. */
export type Seen = Observation & { readonly quoted: bigint; readonly shapes: readonly Shape[] };

/** What a check found. A warning is to be looked at; a fault is wrong. */
type Finding = Exclude<ReturnType<typeof fault | typeof warning>, false>;

type Check = (seen: Seen) => Finding | false;

const fault = (isWrong: boolean, message: string) => isWrong && { level: 'fault' as const, message };
const warning = (isOdd: boolean, message: string) => isOdd && { level: 'warning' as const, message };
const list = (values: readonly unknown[]) => `${values.slice(0, 8).join(', ')}${values.length > 8 ? ', …' : ''}`;

const lastAttempt = ({ events }: Seen) => events.findLast((event) => event.type === 'attempt_finished');
const chargeOf = ({ entries }: Seen) => entries.find((entry) => entry.kind === 'charge');

/** How the last attempt ended, in one line. */
function ending(seen: Seen): string {
  const last = lastAttempt(seen);
  if (last === undefined) return String(seen.reason);
  const status = last.upstreamStatus === null ? '' : `, HTTP ${last.upstreamStatus}`;
  return `${last.outcome}${status}${last.detail === '' ? '' : `: ${last.detail}`}`;
}

/** The addresses that an adapter read from replies. What has none is no page, and dropped. */
const urlsOf = ({ outcomes }: Seen) =>
  outcomes.flatMap(({ citations = [], results = citations }) => results.flatMap(({ url }) => url || []));
/** The lower-case host of a web address; empty for anything else. */
const hostOf = (url: string) => (/^https?:/.test(url) && URL.canParse(url) ? new URL(url).hostname : '');
const isWithin = (host: string, domains: readonly string[] = []) =>
  domains.some((domain) => `.${host}`.endsWith(`.${domain}`));

const fieldsThatAre =
  (which: 'added' | 'gone', where: string): Check =>
  ({ exchanges, shapes }) => {
    const replies = shapes.length === 0 ? [] : exchanges.filter(({ status }) => status !== null && status < 300);
    const fields = new Set(replies.flatMap(({ text }) => compareShapes(shapeOf(text), shapes)[which]));
    return warning(fields.size > 0, `${where}: ${list([...fields])}`);
  };

/** Each has a reply that it finds: a test demands one. A filter of a search may leave no page. */
export const CHECKS = {
  outcome(seen) {
    if (seen.call.search && seen.reason === 'no_answer_found') return warning(true, ending(seen));
    return fault(seen.reason !== null && seen.reason !== 'upstream_invalid_response', ending(seen));
  },

  completeness: (seen) =>
    fault(
      seen.reason === 'upstream_invalid_response',
      `no usable reply, or without the proof that it is whole: ${ending(seen)}`,
    ),

  content({ call, outcomes, reason }) {
    const isEmpty = ({ results, pages }: Outcome) =>
      results?.length === 0 || pages?.every((page) => !('content' in page && page.content?.trim()));
    return (call.search ? warning : fault)(reason === null && outcomes.some(isEmpty), 'nothing was found or read');
  },

  citations(seen) {
    const urls = urlsOf(seen);
    const wrong = urls.filter((url) => hostOf(url) === '');
    if (wrong.length > 0) return fault(true, `no web addresses: ${list(wrong)}`);
    return fault(seen.reason === null && seen.call.kind === 'answer' && urls.length === 0, 'no citation');
  },

  domains(seen) {
    const { includeDomains: include, excludeDomains: exclude } = seen.call.search ?? {};
    const hosts = urlsOf(seen).flatMap((url) => hostOf(url) || []);
    const outside = hosts.filter((host) => (include && !isWithin(host, include)) || isWithin(host, exclude));
    return fault(outside.length > 0, `outside of the asked domains: ${list(outside)}`);
  },

  ranks({ outcomes }) {
    const ranks = outcomes.flatMap((each) => each.ranks ?? []);
    const { index = BEST_DOCUMENT } = ranks.toSorted((a, b) => b.score - a.score)[0] ?? {};
    return fault(index !== BEST_DOCUMENT, `the document with the answer is not the first: ${JSON.stringify(ranks)}`);
  },

  vectors({ call, outcomes }) {
    const sizes = outcomes.flatMap(({ embeddings = [] }) =>
      embeddings.map(({ vector }) =>
        typeof vector === 'string' ? Buffer.from(vector, 'base64').length / 4 : vector.length,
      ),
    );
    const wanted = call.dimensions ?? call.row.dimensions ?? sizes[0];
    const isRight = sizes.length === TEXTS.length && sizes.every((size) => size === wanted);
    const message = `vectors of ${list(sizes)} numbers, wanted ${TEXTS.length} of ${wanted}`;
    return fault(sizes.length > 0 && !isRight, message);
  },

  cost(seen) {
    const { call, quoted } = seen;
    const { amount = 0n, costSource } = chargeOf(seen) ?? {};
    const message = `${formatUsd(amount)} USD, by the row ${formatUsd(quoted)} USD`;
    // Other rows quote the most that may come, and a short question has few tokens.
    const isUsual = (call.kind === 'answer' || call.kind === 'search') && costSource === 'reported';
    return fault(amount > 2n * quoted, message) || warning(isUsual && 2n * amount < quoted, message);
  },

  price({ events }) {
    const found = events.find((event) => event.type === 'cost_mismatch' || event.type === 'cost_implausible');
    if (found === undefined) return false;
    const other = found.type === 'cost_mismatch' ? `by row and usage ${formatUsd(found.computed)} USD` : 'not believed';
    return fault(true, `reported ${formatUsd(found.reported)} USD, ${other}`);
  },

  source: (seen) =>
    warning(chargeOf(seen)?.costSource === 'ceiling', 'neither cost nor usage came: the ceiling is charged'),

  usage({ call, quoted, outcomes, reason }) {
    const isCounted = ({ cost: { reported, usage = {} } }: Outcome) =>
      reported !== undefined || [usage.inputTokens, usage.outputTokens, usage.searchUnits].some((count) => count);
    const isByUnits = call.row.prices.some(
      (price) => price.perMillionTokens || price.perSearchUnit || 'perMillionOutputTokens' in price,
    );
    const isWrong = reason === null && quoted > 0n && isByUnits && !outcomes.every(isCounted);
    return fault(isWrong, 'the price is of units, and the reply counts none');
  },

  deadline({ call, durationMs, reason }) {
    const { timeoutMs } = call.row;
    const message = `${Math.round(durationMs)} ms, more than half of the deadline of ${timeoutMs} ms`;
    return warning(reason === null && 2 * durationMs > timeoutMs, message);
  },

  stream: ({ pieces }) => warning(pieces !== null && pieces < 2, 'the stream came in one piece'),

  'new fields': fieldsThatAre('added', 'in no fixture'),

  'gone fields': fieldsThatAre('gone', 'in the nearest fixture, and not in the reply'),

  'wrong key': (seen) =>
    fault(lastAttempt(seen)?.outcome !== 'upstream_auth_failed', `not upstream_auth_failed, but ${ending(seen)}`),
} satisfies Record<string, Check>;

export type CheckName = keyof typeof CHECKS;

/** What is found of a call, by the checks' names. A call with a wrong key is for one check alone. */
export function findingsOf(seen: Seen) {
  const isForKey = seen.call.variant === WRONG_KEY;
  const checks = Object.entries(CHECKS).filter(([check]) => (check === WRONG_KEY) === isForKey);
  return checks.flatMap(([check, find]) => {
    const finding = find(seen);
    return finding === false ? [] : [{ check, ...finding }];
  });
}
