import { randomUUID } from 'node:crypto';
import { formatUsd, type GatewayEvent } from '@searchgate/core';
import { type Clock, errorMessage } from '@searchgate/core/ledger';
import type { Webhook } from 'standardwebhooks';

/** A pending event. */
export interface Message {
  /** The same for each try and endpoint; for alerts, the same in each process. */
  readonly id: string;
  readonly type: GatewayEvent['type'];
  /** The organization of the event; `null` for none. */
  readonly organizationId: string | null;
  /** Whether the event is emitted once across all processes, so that it must not be lost. */
  readonly isAlert: boolean;
  /** JSON: type, timestamp, and the other fields of the event as data, amounts as decimal strings of US dollars. */
  readonly body: string;
}

/** Why a try failed. */
export interface Failure {
  readonly error: string;
  /** Whether a retry cannot help. */
  readonly isPermanent: boolean;
  /** The receiver's `Retry-After`; 0 without it. */
  readonly retryAfterMs: number;
}

const LONGEST_RETRY_AFTER_MS = 3_600_000;

export function messageOf(event: GatewayEvent): Message {
  const { type, atMs, ...data } = event;
  const isAlert = 'alertId' in event;
  const id = isAlert ? event.alertId : `event_${randomUUID()}`;
  const organizationId = 'organizationId' in event ? event.organizationId : null;
  const payload = { type, timestamp: new Date(atMs).toISOString(), data };
  const body = JSON.stringify(payload, (_name, value: unknown) =>
    typeof value === 'bigint' ? formatUsd(value) : value,
  );
  return { id, type, organizationId, isAlert, body };
}

interface Target {
  readonly url: string;
  readonly webhook: Webhook;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Tries once. Never rejects. Reads only status and `Retry-After` of the response; a redirect is a failure.
 *
 * @param controller aborts the try.
 * @returns `null` if the event was accepted.
 */
export async function post(
  { id, body }: Message,
  { url, webhook, clock, timeoutMs }: Target,
  controller: AbortController,
): Promise<Failure | null> {
  const nowMs = clock.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'searchgate-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
    'webhook-signature': webhook.sign(id, new Date(nowMs), body),
  };
  const cancel = clock.schedule(timeoutMs, () => controller.abort(new Error(`no response within ${timeoutMs} ms`)));
  try {
    const { signal } = controller;
    const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal });
    void response.body?.cancel().catch(() => undefined);
    if (response.ok) return null;
    const { status } = response;
    const retryAfterMs = waitOf(response.headers.get('retry-after'), nowMs);
    return { error: `status ${status}`, isPermanent: status === 410, retryAfterMs };
  } catch (error) {
    // The message is only "fetch failed"; the cause has the details.
    const { cause = error } = error as Error;
    return { error: errorMessage(cause), isPermanent: false, retryAfterMs: 0 };
  } finally {
    cancel();
  }
}

/** Reads seconds or a date, capped at an hour. */
function waitOf(retryAfter: string | null, nowMs: number): number {
  if (retryAfter === null) return 0;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
