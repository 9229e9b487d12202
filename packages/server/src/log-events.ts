import { formatUsd, type GatewayEvent } from '@searchgate/core';
import type { Logger } from 'pino';

/** Logs the gateway's events: amounts as decimal US dollar strings, times to a tenth of a millisecond. Events contain no secret and no question. */
export function logEvent(log: Logger, event: GatewayEvent): void {
  log[levelOf(event)](readable(event), event.type.replaceAll('_', ' '));
}

function readable(value: unknown): unknown {
  if (typeof value === 'bigint') return formatUsd(value);
  if (typeof value === 'number') return Math.round(value * 10) / 10;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(readable);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, readable(each)]));
}

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Outcomes caused by the question, not the provider, need no attention. */
const LEVELS_OF_OUTCOMES: Partial<Record<string, Level>> = {
  answered: 'debug',
  hedged: 'debug',
  query_rejected: 'info',
  no_answer_found: 'info',
};

function levelOf(event: GatewayEvent): Level {
  switch (event.type) {
    case 'request_finished':
      return event.status >= 500 ? 'warn' : 'info';
    case 'attempt_finished':
      return LEVELS_OF_OUTCOMES[event.outcome] ?? 'warn';
    case 'provider_slot_refused':
      return event.outcome === 'given_up' ? 'warn' : 'info';
    case 'answer_finished':
    case 'provider_resumed':
    case 'provider_key_recovered':
    case 'ledger_settle_recovered':
    case 'idempotency_recovered':
      return 'info';
    // Tried again. The gateway logs the outage of the store, or of the request log, itself.
    case 'ledger_settle_failed':
    case 'idempotency_failed':
      return event.final ? 'error' : 'debug';
    case 'store_down':
    case 'store_recovered':
    case 'request_log_dropped':
      return 'debug';
    default:
      return 'warn';
  }
}
