import type { GatewayEvent, Logger } from '@searchgate/core';
import { type Clock, isClock, systemClock } from '@searchgate/core/ledger';
import { z } from 'zod';

/** The events that webhooks can deliver. Events per request and per attempt are too frequent. */
export type WebhookEvent = Exclude<GatewayEvent['type'], 'request_finished' | 'attempt_finished'>;

/** A receiver of events. */
export interface WebhookEndpoint {
  /** `https:`, or `http:` to this machine. Without user and password. Private addresses are allowed. */
  readonly url: string;
  /** `whsec_` and 24 to 64 bytes in base64. */
  readonly secret: string;
  /** At least one. */
  readonly events: readonly WebhookEvent[];
}

/** Who receives which events, and how long a delivery may take. */
export interface WebhookOptions {
  /** 1 to 20. */
  readonly endpoints: readonly WebhookEndpoint[];
  /** Longest wait for a response, 1 to 60,000. @default 10,000 */
  readonly timeoutMs?: number | undefined;
  /** Time limit of the function that `deliverWebhooks` returns, 0 to 600,000. @default 5,000 */
  readonly flushTimeoutMs?: number | undefined;
  /** Gets undelivered events. A pino instance fits. @default process warnings */
  readonly logger?: Pick<Logger, 'error'> | undefined;
  /** For tests. @default the system clock */
  readonly clock?: Clock | undefined;
}

/** A record, so that the compiler reports an event of core that is missing here. */
const EVENTS: Readonly<Record<WebhookEvent, true>> = {
  answer_finished: true,
  budget_exhausted: true,
  budget_threshold: true,
  credits_low: true,
  provider_paused: true,
  provider_resumed: true,
  provider_key_failed: true,
  provider_key_recovered: true,
  provider_slot_refused: true,
  ledger_settle_failed: true,
  ledger_settle_recovered: true,
  idempotency_failed: true,
  idempotency_recovered: true,
  cost_unknown: true,
  cost_mismatch: true,
  cost_implausible: true,
  citations_dropped: true,
  store_down: true,
  store_recovered: true,
  holds_expired: true,
  request_log_dropped: true,
  events_dropped: true,
};
const EVENT = `one of ${Object.keys(EVENTS).join(', ')}`;
const ENDPOINT_URL = 'an https URL without user and password, or an http URL of this machine';
const SECRET = 'whsec_ and 24 to 64 bytes in base64';
const ENDPOINTS = 'an array of 1 to 20 objects { url, secret, events }';

const endpoint = z.strictObject({
  url: z.string(ENDPOINT_URL).refine(isEndpointUrl, ENDPOINT_URL),
  secret: z.string(SECRET).refine(isSecret, SECRET),
  events: z.array(z.enum(Object.keys(EVENTS) as WebhookEvent[], EVENT), 'an array of events').min(1, 'an event'),
});

const milliseconds = (least: number, most: number) => {
  const wanted = `a whole number from ${least} to ${most}`;
  return z.int(wanted).min(least, wanted).max(most, wanted);
};

export const webhookSchema = z.strictObject({
  endpoints: z.array(endpoint, ENDPOINTS).min(1, ENDPOINTS).max(20, ENDPOINTS),
  timeoutMs: milliseconds(1, 60_000).default(10_000),
  flushTimeoutMs: milliseconds(0, 600_000).default(5_000),
  logger: z
    .custom<Pick<Logger, 'error'>>((value) => typeof (value as Logger | null)?.error === 'function', 'a logger')
    .default({ error: warn }),
  clock: z.custom<Clock>(isClock, 'a clock').default(systemClock),
});

export type WebhookConfig = z.output<typeof webhookSchema>;

function isEndpointUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback));
}

function isSecret(text: string): boolean {
  const bytes = Buffer.from(text.slice('whsec_'.length), 'base64').length;
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes >= 24 && bytes <= 64;
}

function warn(fields: Record<string, unknown>, message: string): void {
  process.emitWarning(message, { code: 'SEARCHGATE', detail: JSON.stringify(fields) });
}
