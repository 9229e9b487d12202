import { createFairQueue } from '@searchgate/core/extensions';
import { backoffMs } from '@searchgate/core/ledger';
import { Webhook } from 'standardwebhooks';
import { createEventSlots } from './event-slots.js';
import { type Failure, type Message, post } from './post.js';
import type { WebhookConfig } from './webhook-options.js';

/** Pending events of one endpoint: one request at a time, in order. A failed event is retried later and does not delay others. */
export interface EndpointQueue {
  /**
   * @returns whether the endpoint accepted the event: `false` if the queue is full, or after the last retry. Alerts are retried without limit.
   * Never resolves for an event that is still pending when the queue closes.
   */
  send(message: Message): Promise<boolean>;
  /** Retries all pending events once. Resolves within `flushTimeoutMs`. Further calls return the same promise. */
  close(): Promise<void>;
}

interface Sending {
  readonly message: Message;
  attempts: number;
  cancelPause: (() => void) | null;
  done(isTaken: boolean): void;
}

const FULL = 'too many events of this type, or of its organization, are queued';
/** About half an hour: pauses of 5 s, 10 s, 20 s … 10 minutes, each shortened at random by up to half. */
const MOST_ATTEMPTS = 10;
const BACKOFF = { firstDelayMs: 5_000, factor: 2, longestDelayMs: 600_000 };

export function createEndpointQueue(
  { url, secret }: WebhookConfig['endpoints'][number],
  { clock, logger, timeoutMs, flushTimeoutMs }: WebhookConfig,
): EndpointQueue {
  const webhook = new Webhook(secret);
  const report = reporter(logger, url);
  /** Waiting, in flight or pausing before a retry. */
  const all = new Set<Sending>();
  const waiting = createWaiting();
  const slots = createEventSlots();
  let inFlight: AbortController | null = null;
  let closed: (() => void) | null = null;
  let closing: Promise<void> | undefined;

  async function sendNext(): Promise<void> {
    if (all.size === 0) closed?.();
    const sending = inFlight === null ? waiting.next() : undefined;
    if (sending === undefined) return;
    inFlight = new AbortController();
    const failure = await post(sending.message, { url, webhook, clock, timeoutMs }, inFlight);
    inFlight = null;
    sending.attempts += 1;
    conclude(sending, failure);
    void sendNext();
  }

  function conclude(sending: Sending, failure: Failure | null): void {
    const pauseMs = failure === null || closed !== null ? null : pauseAfter(sending, failure);
    if (pauseMs !== null) {
      if (sending.attempts % MOST_ATTEMPTS === 0) report(sending, failure?.error ?? '');
      sending.cancelPause = clock.schedule(pauseMs, () => resume(sending), 'background');
      return;
    }
    all.delete(sending);
    slots.free(sending.message);
    if (failure !== null) report(sending, failure.error);
    // An event undelivered at the close stays unresolved: another process has to deliver the alert.
    if (failure === null || closed === null) sending.done(failure === null);
  }

  function resume(sending: Sending): void {
    sending.cancelPause = null;
    waiting.add(sending);
    void sendNext();
  }

  function cutOff(): void {
    for (let sending = waiting.next(); sending !== undefined; sending = waiting.next()) report(sending, 'closed');
    inFlight?.abort(new Error('closed'));
    closed?.();
  }

  async function flush(): Promise<void> {
    const isOver = new Promise<void>((resolve) => (closed = resolve));
    const cancel = clock.schedule(flushTimeoutMs, cutOff);
    for (const { cancelPause } of all) cancelPause?.();
    for (const sending of all) if (sending.cancelPause !== null) resume(sending);
    void sendNext();
    await isOver;
    cancel();
  }

  return {
    send: (message) =>
      new Promise((done) => {
        const sending: Sending = { message, attempts: 0, cancelPause: null, done };
        if (slots.take(message)) {
          all.add(sending);
          resume(sending);
          return;
        }
        if (slots.isFirstRefused(message)) report(sending, FULL);
        done(false);
      }),
    close: () => (closing ??= flush()),
  };
}

/** Alerts go first. Organizations take turns. */
function createWaiting(): { add(sending: Sending): void; next(): Sending | undefined } {
  const alerts = createFairQueue<Sending>();
  const others = createFairQueue<Sending>();
  return {
    add(sending) {
      const { isAlert, organizationId } = sending.message;
      (isAlert ? alerts : others).add(organizationId ?? '', sending);
    },
    next: () => alerts.next() ?? others.next(),
  };
}

/** @returns `null` to give the event up. An alert is never given up; when the process ends first, another process emits it again. */
function pauseAfter({ attempts, message }: Sending, { isPermanent, retryAfterMs }: Failure): number | null {
  if (!message.isAlert && (isPermanent || attempts === MOST_ATTEMPTS)) return null;
  if (isPermanent) return BACKOFF.longestDelayMs;
  return Math.max(retryAfterMs, backoffMs(attempts - 1, BACKOFF));
}

/** Logs undelivered events. Of the URL only the host, since the path may be a secret. Errors of the logger are ignored: the queue must go on. */
function reporter(logger: WebhookConfig['logger'], url: string): (sending: Sending, error: string) => void {
  const endpoint = new URL(url).host;
  return ({ message: { id, type }, attempts }, error) => {
    try {
      logger.error({ endpoint, event: type, webhookId: id, attempts, error }, 'a webhook was not delivered');
    } catch {
      // A failing logger leaves no place to report to.
    }
  };
}
