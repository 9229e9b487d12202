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
   * @returns `false` when another process may be emitting the alert, or too many alerts wait for their listeners: try again later.
   * Rejects when the store fails.
   */
  announce(alert: Alert): Promise<boolean>;
  /** Resolves when the listeners have handled all announced alerts. */
  idle(): Promise<void>;
  /** Gives up alerts that listeners have not handled: other processes emit them again. */
  stop(): void;
}

export interface AnnouncerDeps {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly events: Pick<EventStream, 'deliver'>;
  readonly logger: Logger;
  readonly newId: IdSource;
}

/** The key id in the claims of alerts. No caller has this id: identities with this prefix are refused. */
const OWNER = 'searchgate:alerts';
/** How long the claim of a process that died keeps other processes from emitting the alert. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;
/** Fewer for one organization, so that its unhandled alerts do not delay the alerts of other organizations. */
const MOST_DELIVERIES = { total: 1_000, perOrganization: 250 };
const MOST_KNOWN = 10_000;
const EMITTED = { status: 200, body: '{}' };

/**
 * Delivers at least once: an alert is claimed, then delivered, then completed. Its claim is renewed while listeners work. If the process dies
 * before completion, the claim expires, and the next process that checks the budget emits the alert again.
 */
export function createAnnouncer({ store, clock, events, logger, newId }: AnnouncerDeps): Announcer {
  /** Names of emitted alerts, which this process need not claim again. */
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
    // After the claim has expired, the next check emits the alert again.
    else known.delete(alert.name);
    slots.free(alert.event.organizationId);
  }

  /** Renews the claim until the listeners have finished. @returns `false` when the alert was given up, or a listener has lost it. */
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
