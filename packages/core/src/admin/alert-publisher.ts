import { LRUCache } from 'lru-cache';
import type { EventStream, GatewayEvent } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { IdSource } from '../base/ids.js';
import type { Clock } from '../base/time/clock.js';
import type { ClaimRequest, IdempotencyStore } from '../ledger/idempotency-store.js';
import { createSemaphore } from '../limits/fair-shares.js';
import { type Alert, ENDLESS_MS, sha256 } from './alert.js';

export interface AlertPublisherDeps {
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
/** Of each type of alert. Fewer for one organization: unhandled alerts delay no other type, and no other organization. */
const MOST_DELIVERIES = { total: 1_000, perOrganization: 250 };
const MOST_KNOWN = 10_000;
const EMITTED = { status: 200, body: '{}' };
/** The name under which the first process keeps the id of the store, which makes the ids of alerts differ between deployments. */
const STORE_ID = 'store id';

/**
 * Emits each alert once across all processes that share a store. Delivers at least once: an alert is claimed, then delivered, then completed. Its claim is renewed while listeners work. If the process dies
 * before completion, the claim expires, and the next process that checks the budget emits the alert again.
 */
export function createAlertPublisher({ store, clock, events, logger, newId }: AlertPublisherDeps) {
  /** Names of emitted alerts, which this process need not claim again. */
  const known = new LRUCache<string, true>({ maxSize: MOST_KNOWN, sizeCalculation: () => 1 });
  const deliveries = new Set<Promise<void>>();
  const slots = {
    budget_threshold: createSemaphore(MOST_DELIVERIES),
    budget_exhausted: createSemaphore(MOST_DELIVERIES),
    credits_low: createSemaphore(MOST_DELIVERIES),
  };
  const giveUps = new Set<() => void>();
  const findStoreId = storeIdFinder({ store, clock, newId });

  async function deliver(alert: Alert, claim: ClaimRequest, event: GatewayEvent): Promise<void> {
    if (await isDelivered(alert, claim, event)) await orLog(store.complete(claim, EMITTED, alert.keepUntilMs), alert);
    // After the claim has expired, the next check emits the alert again.
    else known.delete(alert.name);
    slots[alert.event.type].free(alert.event.organizationId);
  }

  /** Renews the claim until the listeners have finished. @returns `false` when the alert was given up, or a listener has lost it. */
  function isDelivered(alert: Alert, claim: ClaimRequest, event: GatewayEvent): Promise<boolean> {
    return new Promise((resolve) => {
      let cancel = clock.schedule(RENEW_MS, renew, 'background');
      const giveUp = () => end(false);
      giveUps.add(giveUp);
      void events.deliver(event).then(end);

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
    /**
     * Emits an alert unless it was emitted before. Does not wait for the listeners.
     *
     * @returns `false` when another process may be emitting the alert, or too many alerts wait for their listeners: try again later.
     * Rejects when the store fails.
     */
    async publish(alert: Alert): Promise<boolean> {
      if (known.has(alert.name)) return true;
      const { organizationId, type } = alert.event;
      if (!slots[type].tryTake(organizationId)) return false;
      let isClaimed = false;
      try {
        const ofStore = await findStoreId();
        if (ofStore === null) return false;
        const claim = claimOf(alert.name, { clock, newId });
        const { status } = await store.claim(claim);
        if (status === 'in_progress') return false;
        known.set(alert.name, true);
        isClaimed = status === 'claimed';
        if (!isClaimed) return true;
        const alertId = `alert_${sha256(`${ofStore} ${alert.name}`).slice(0, 32)}`;
        const delivery = deliver(alert, claim, { ...alert.event, alertId }).finally(() => deliveries.delete(delivery));
        deliveries.add(delivery);
        return true;
      } finally {
        if (!isClaimed) slots[type].free(organizationId);
      }
    },
    /** Resolves when the listeners have handled all published alerts. */
    async idle(): Promise<void> {
      await Promise.all(deliveries);
    },
    /** Gives up alerts that listeners have not handled: other processes emit them again. */
    stop: () => giveUps.forEach((giveUp) => giveUp()),
  };
}

function claimOf(name: string, { clock, newId }: Pick<AlertPublisherDeps, 'clock' | 'newId'>): ClaimRequest {
  const nowMs = clock.now();
  const claimId = `claim_${newId(nowMs)}`;
  return {
    keyId: OWNER,
    idempotencyKey: name,
    claimId,
    fingerprint: sha256(name),
    nowMs,
    expiresAtMs: nowMs + CLAIM_MS,
  };
}

/** @returns a function that finds the id of the store, once; it resolves to `null` while another process makes the id. */
function storeIdFinder(deps: Pick<AlertPublisherDeps, 'store' | 'clock' | 'newId'>): () => Promise<string | null> {
  let finding: Promise<string | null> | null = null;
  return async () => {
    let id: string | null = null;
    try {
      id = await (finding ??= findOrMakeStoreId(deps));
      return id;
    } finally {
      if (id === null) finding = null;
    }
  };
}

async function findOrMakeStoreId({ store, ...deps }: Pick<AlertPublisherDeps, 'store' | 'clock' | 'newId'>) {
  const claim = claimOf(STORE_ID, deps);
  const result = await store.claim(claim);
  if (result.status === 'finished') return result.response.body;
  if (result.status !== 'claimed') return null;
  const id = deps.newId(claim.nowMs);
  return (await store.complete(claim, { status: 200, body: id }, claim.nowMs + ENDLESS_MS)) ? id : null;
}
