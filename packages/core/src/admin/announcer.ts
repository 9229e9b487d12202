import { LRUCache } from 'lru-cache';
import type { EventStream } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { IdSource } from '../base/ids.js';
import type { Clock } from '../base/time/clock.js';
import type { ClaimRequest, IdempotencyStore } from '../ledger/idempotency-store.js';
import { createSemaphore } from '../limits/semaphore.js';
import { type Alert, fingerprintOf } from './alert.js';

/** Emits each alert once across all processes that share a store. */
export interface Announcer {
  /**
   * Emits an alert unless it was emitted before. Does not wait for the listeners.
   *
   * @returns `false` where another process may be emitting it, or too many wait for their listeners: to be tried again later.
   * Rejects when the store fails.
   */
  announce(alert: Alert): Promise<boolean>;
  /** Resolves when the listeners are done with all that was announced. */
  idle(): Promise<void>;
  /** Gives up what listeners are not done with: other processes emit it again. */
  stop(): void;
}

export interface AnnouncerDeps {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly events: Pick<EventStream, 'deliver'>;
  readonly logger: Logger;
  readonly newId: IdSource;
}

/** The owner of the names alerts are claimed under. No caller has this id: identities that begin so are refused. */
const OWNER = 'searchgate:alerts';
/** For how long an alert of a process that died keeps others from emitting it. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;
/** Of one organization fewer, so that alerts of its keys that no listener takes do not hold up those of others. */
const MOST_DELIVERIES = { total: 1_000, perOrganization: 250 };
const MOST_KNOWN = 10_000;
const EMITTED = { status: 200, body: '{}' };

/**
 * At least once: an alert is claimed, then delivered, then completed. While listeners work on it its claim is renewed. When the process dies
 * before that, the claim expires, and the next process to check the budget emits the alert again.
 */
export function createAnnouncer({ store, clock, events, logger, newId }: AnnouncerDeps): Announcer {
  /** Names that need not be claimed again: what this process has seen emitted. */
  const known = new LRUCache<string, true>({ maxSize: MOST_KNOWN, sizeCalculation: () => 1 });
  const deliveries = new Set<Promise<void>>();
  const slots = createSemaphore(MOST_DELIVERIES);
  const giveUps = new Set<() => void>();

  function claimOf({ name }: Alert): ClaimRequest {
    const nowMs = clock.now();
    const claimId = `claim_${newId(nowMs)}`;
    const fingerprint = fingerprintOf(name);
    return { keyId: OWNER, idempotencyKey: name, claimId, fingerprint, nowMs, expiresAtMs: nowMs + CLAIM_MS };
  }

  async function deliver(alert: Alert, claim: ClaimRequest): Promise<void> {
    if (await isDelivered(alert, claim)) await orLog(store.complete(claim, EMITTED, alert.keepUntilMs), alert);
    // Once the claim has expired, the next check emits it again.
    else known.delete(alert.name);
    slots.free(alert.event.organizationId);
  }

  /** Renews the claim until the listeners are done. @returns `false` when it was given up, or a listener has lost the alert. */
  function isDelivered(alert: Alert, claim: ClaimRequest): Promise<boolean> {
    return new Promise((resolve) => {
      let cancel = clock.schedule(RENEW_MS, renew, 'background');
      const giveUp = () => end(false);
      giveUps.add(giveUp);
      void events.deliver(alert.event).then(end);

      function renew(): void {
        cancel = clock.schedule(RENEW_MS, renew, 'background');
        const nowMs = clock.now();
        void orLog(store.claim({ ...claim, nowMs, expiresAtMs: nowMs + CLAIM_MS }), alert);
      }

      function end(delivered: boolean): void {
        cancel();
        giveUps.delete(giveUp);
        resolve(delivered);
      }
    });
  }

  async function orLog(work: Promise<unknown>, { name }: Alert): Promise<void> {
    try {
      await work;
    } catch (error) {
      logger.warn({ error, alert: name }, 'the idempotency store failed: an alert may be repeated');
    }
  }

  return {
    async announce(alert) {
      if (known.has(alert.name)) return true;
      const { organizationId } = alert.event;
      if (!slots.tryTake(organizationId)) return false;
      let isClaimed = false;
      try {
        const claim = claimOf(alert);
        const { status } = await store.claim(claim);
        if (status === 'in_progress') return false;
        known.set(alert.name, true);
        isClaimed = status === 'claimed';
        if (!isClaimed) return true;
        const delivery = deliver(alert, claim).finally(() => deliveries.delete(delivery));
        deliveries.add(delivery);
        return true;
      } finally {
        if (!isClaimed) slots.free(organizationId);
      }
    },
    async idle() {
      await Promise.all(deliveries);
    },
    stop() {
      for (const giveUp of giveUps) giveUp();
    },
  };
}
