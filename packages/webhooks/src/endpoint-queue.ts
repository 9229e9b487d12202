import { backoffMs } from '@searchgate/core/ledger';
import { Webhook } from 'standardwebhooks';
import { type Failure, type Message, post } from './post.js';
import type { WebhookConfig } from './webhook-options.js';

/** Events on their way to one endpoint: one request at a time, in order. An event that failed is tried later and holds up no other. */
export interface EndpointQueue {
  /** Resolves when the event was taken or is given up. Never, when the queue was closed before that. */
  send(message: Message): Promise<void>;
  /** Tries everything that is left once more. Resolves when that is over, at the latest after `flushTimeoutMs`. */
  close(): Promise<void>;
}

interface Sending {
  readonly message: Message;
  attempts: number;
  cancelPause: (() => void) | null;
  done(): void;
}

const MOST_QUEUED = 1_000;
/** Half an hour, with the pauses: 5 s, 10 s, 20 s … 10 minutes, each between half of it and all of it. */
const MOST_ATTEMPTS = 10;
const BACKOFF = { firstDelayMs: 5_000, factor: 2, longestDelayMs: 600_000 };

export function createEndpointQueue(
  { url, secret }: WebhookConfig['endpoints'][number],
  { clock, logger, timeoutMs, flushTimeoutMs }: WebhookConfig,
): EndpointQueue {
  const webhook = new Webhook(secret);
  /** Waiting, in flight or pausing. */
  const all = new Set<Sending>();
  const waiting = new Set<Sending>();
  let inFlight: AbortController | null = null;
  let closed: (() => void) | null = null;

  async function sendNext(): Promise<void> {
    if (all.size === 0) closed?.();
    const [sending] = waiting;
    if (sending === undefined || inFlight !== null) return;
    waiting.delete(sending);
    const controller = new AbortController();
    inFlight = controller;
    const cancel = clock.schedule(timeoutMs, () => controller.abort(new Error(`no response within ${timeoutMs} ms`)));
    const failure = await post(sending.message, { url, webhook, nowMs: clock.now(), signal: controller.signal });
    cancel();
    inFlight = null;
    sending.attempts += 1;
    if (failure === null) end(sending);
    else retryOrGiveUp(sending, failure);
    void sendNext();
  }

  function retryOrGiveUp(sending: Sending, failure: Failure): void {
    const { attempts } = sending;
    if (closed !== null) {
      // Not done: another process is to deliver the alert.
      all.delete(sending);
      report(sending, failure.error);
    } else if (failure.isPermanent || attempts === MOST_ATTEMPTS) {
      end(sending);
      report(sending, failure.error);
    } else {
      const pauseMs = Math.max(failure.retryAfterMs, backoffMs(attempts - 1, BACKOFF));
      sending.cancelPause = clock.schedule(pauseMs, () => resume(sending), 'background');
    }
  }

  function resume(sending: Sending): void {
    sending.cancelPause = null;
    waiting.add(sending);
    void sendNext();
  }

  function end(sending: Sending): void {
    all.delete(sending);
    sending.done();
  }

  /** Of the URL only the host, since its path may be a secret. */
  function report({ message: { id, type }, attempts }: Sending, error: string): void {
    const fields = { endpoint: new URL(url).host, event: type, webhookId: id, attempts, error };
    logger.error(fields, 'a webhook was not delivered');
  }

  function abort(): void {
    for (const sending of waiting) report(sending, 'closed');
    waiting.clear();
    inFlight?.abort(new Error('closed'));
  }

  return {
    send: (message) =>
      new Promise((done) => {
        const sending: Sending = { message, attempts: 0, cancelPause: null, done };
        if (all.size === MOST_QUEUED) {
          report(sending, `${MOST_QUEUED} events are queued`);
          done();
          return;
        }
        all.add(sending);
        resume(sending);
      }),
    close: () =>
      new Promise((resolve) => {
        const cancel = clock.schedule(flushTimeoutMs, () => {
          abort();
          resolve();
        });
        closed = () => {
          cancel();
          resolve();
        };
        for (const { cancelPause } of all) cancelPause?.();
        for (const sending of all) if (sending.cancelPause !== null) resume(sending);
        void sendNext();
      }),
  };
}
