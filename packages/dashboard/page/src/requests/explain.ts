import type { LoggedAttempt, RequestRow, RequestWithAttempts } from '../../../src/api/contract.js';
import { milliseconds } from '../format.js';

/** Of each reason of a failed attempt: what the provider did, and what an operator can do. */
const FAILURES: Readonly<Record<string, readonly [did: string, advice: string]>> = {
  upstream_timeout: ['did not answer in time', 'Raise the timeoutMs of the model, hedge it, or give it a fallback.'],
  upstream_unreachable: ['could not be reached', 'Look at network, DNS, proxy and the status page of the provider.'],
  upstream_error: ['failed to handle the call', 'Look at the status page of the provider; give the model a fallback.'],
  upstream_invalid_response: ['sent an empty or unusable reply', 'Read the detail of the event attempt_finished.'],
  upstream_rate_limited: ['limited the rate of calls', 'Ask the provider for more, or add a second key.'],
  upstream_quota_exhausted: ['says that the account has no credit', 'Pay at the provider.'],
  upstream_auth_failed: ['refused the key of the gateway', 'Replace the key of the provider.'],
  upstream_rejected: ['rejected the request', 'An option may be wrong for the model: try it in the playground.'],
  query_rejected: ['declined the question', 'By the rules of the provider. Another model may answer.'],
  no_answer_found: ['found no source that answers', 'Loosen domains and dates of the call, or ask another model.'],
  no_page_extracted: ['could read none of the pages', 'The sites may be down or forbid it: try another model.'],
  hedged: ['was slower than another model and was stopped', ''],
};

/** What an operator can do where no provider is at fault. */
const ADVICE: Readonly<Record<string, string>> = {
  organization_credits_exhausted: 'Grant the organization credits.',
  key_limit_reached: 'Raise the limit of the key, or wait until it starts over.',
  budget_exceeded: 'Raise the limit of the budget, or wait until it starts over.',
  budget_in_flight: 'Calls under way hold the rest of a limit. Raise it, or let the program ask less at once.',
  rate_limited: 'Raise the rate of the key or its organization, or let the program ask more slowly.',
  concurrency_limited: 'Raise the number of calls at once, or let the program wait.',
  too_many_refused_calls: 'The program repeats a wrong call: look at the calls of this key before.',
  model_not_allowed: 'Allow the key this model, or let the program name another.',
  model_not_found: 'The program names a model that this gateway does not have.',
  organization_suspended: 'Resume the organization.',
  upstream_unavailable: 'Every provider of the model is paused: see Health. Give the model a fallback.',
  overloaded: 'Raise what the gateway takes at once, or start another process.',
  connection_wait_exceeded: 'Raise maxConnectionsPerProvider, or limit the calls of organizations at once.',
  ledger_unavailable: 'Look at the storage of the ledger and of the keys: see Health.',
  client_closed_request: 'The program went away first: its own time limit may be too short.',
  internal_error: 'Read the log of the gateway, with the id of the request.',
};

/** The reasons that can be suggested. */
export const REASONS: readonly string[] = [...Object.keys(FAILURES), ...Object.keys(ADVICE)]
  .filter((reason) => reason !== 'hedged')
  .sort();

const PHASES: Readonly<Record<string, string>> = {
  connect: 'before it was connected',
  headers: 'before its reply began',
  body: 'in the middle of its reply',
  parse: 'its reply was no JSON',
  shape: 'its reply had no answer',
};

/** `did not answer within 20.0 s (before its reply began)`: with how far it came and the codes that tell why. */
export function failureText({ outcome, phase, upstream_status, code, duration_ms }: LoggedAttempt): string {
  const late = `did not answer within ${milliseconds(duration_ms)}`;
  const did = outcome === 'upstream_timeout' ? late : (FAILURES[outcome]?.[0] ?? plain(outcome));
  const status = upstream_status === null ? null : `status ${upstream_status}`;
  const known =
    outcome === 'hedged' ? [] : [PHASES[phase ?? ''] ?? phase, status, code].filter((part) => part !== null);
  return known.length === 0 ? did : `${did} (${known.join(', ')})`;
}

/** `key limit reached` of `key_limit_reached`. */
export function plain(reason: string): string {
  return reason.replaceAll('_', ' ');
}

export const isFailed = ({ outcome }: Pick<LoggedAttempt, 'outcome'>): boolean =>
  outcome !== 'answered' && outcome !== 'hedged';

/** How a call ended, in a few words. */
export function outcomeText({ status, reason, cache, rescued }: RequestRow): string {
  if (status < 400) return cache === 'hit' ? 'answered from the cache' : rescued ? 'rescued' : 'answered';
  return `${status} ${FAILURES[reason ?? '']?.[0] ?? plain(reason ?? '')}`;
}

/** How a call ended in a sentence, and what an operator can do. */
export function explain(call: RequestWithAttempts): { readonly sentence: string; readonly advice: readonly string[] } {
  const failed = call.attempts.filter(isFailed);
  const parts = failed.map((attempt) => `${attempt.provider} ${failureText(attempt)}`);
  const reasons = new Set([...failed.map(({ outcome }) => outcome), call.reason ?? '']);
  const advice = [...reasons].map((reason) => FAILURES[reason]?.[1] ?? ADVICE[reason] ?? '').filter(Boolean);
  return { sentence: `${[...parts, endOf(call, failed.length > 0)].filter(Boolean).join('; ')}.`, advice };
}

function endOf(call: RequestWithAttempts, hasFailed: boolean): string {
  if (call.status >= 400) return hasFailed ? '' : (call.message?.replace(/\.$/, '') ?? plain(call.reason ?? 'failed'));
  if (call.cache === 'hit') return 'Answered from the cache';
  return `${call.provider ?? 'The gateway'} answered in ${milliseconds(call.duration_ms)}`;
}
