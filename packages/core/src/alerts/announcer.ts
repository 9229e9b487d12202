import { LRUCache } from 'lru-cache';
import type { EventStream } from '../events/events.js';
import type { Logger } from '../events/logger.js';
import type { IdSource } from '../ids/ids.js';
import type { ClaimRequest, IdempotencyStore } from '../ledger/idempotency-store.js';
import type { Clock } from '../time/clock.js';
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
const MOST_DELIVERIES = 1_000;
/** Of one organization, so that alerts of its keys that nobody takes do not hold up those of others. */
const MOST_OF_ORGANIZATION = 250;
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
  /** Claims and deliveries under way, of all organizations and of each that has any. */
  let all = 0;
  const byOrganization = new Map<string, number>();
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

  function begin(alert: Alert, claim: ClaimRequest): void {
    const delivery = deliver(alert, claim).finally(() => {
      deliveries.delete(delivery);
      count(alert.event.organizationId, -1);
    });
    deliveries.add(delivery);
  }

  function count(organizationId: string, by: number): void {
    all += by;
    const deliveriesOf = (byOrganization.get(organizationId) ?? 0) + by;
    if (deliveriesOf > 0) byOrganization.set(organizationId, deliveriesOf);
    else byOrganization.delete(organizationId);
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
      const own = byOrganization.get(organizationId) ?? 0;
      if (all >= MOST_DELIVERIES || own >= MOST_OF_ORGANIZATION) return false;
      count(organizationId, 1);
      let isClaimed = false;
      try {
        const claim = claimOf(alert);
        const { status } = await store.claim(claim);
        if (status === 'in_progress') return false;
        known.set(alert.name, true);
        isClaimed = status === 'claimed';
        if (isClaimed) begin(alert, claim);
        return true;
      } finally {
        if (!isClaimed) count(organizationId, -1);
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
