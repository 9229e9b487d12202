import { createSemaphore, type Semaphore } from '@searchgate/core/extensions';
import type { Message } from './post.js';

/** Limits the pending events. No type takes the slots of another type, and no organization takes all slots of a type. */
export interface EventSlots {
  /** @returns `false` when no slot is free. */
  take(message: Message): boolean;
  /** Whether this is the first refused event of its type since an event of the type last got a slot. */
  isFirstRefused(message: Message): boolean;
  /** Must be called once per event that took a slot. */
  free(message: Message): void;
}

/** The gateway's own limits of pending alerts, in total and per organization, so that no alert is refused. */
const ALERTS = { total: 1_000, perOrganization: 250 };
const OTHERS = { total: 250, perOrganization: 62 };

export function createEventSlots(): EventSlots {
  const byType = new Map<Message['type'], Semaphore>();
  const full = new Set<Message['type']>();

  function slotsOf({ type, isAlert }: Message): Semaphore {
    const slots = byType.get(type) ?? createSemaphore(isAlert ? ALERTS : OTHERS);
    byType.set(type, slots);
    return slots;
  }

  return {
    take(message) {
      const isTaken = slotsOf(message).tryTake(ownerOf(message));
      if (isTaken) full.delete(message.type);
      return isTaken;
    },
    isFirstRefused({ type }) {
      const isFirst = !full.has(type);
      full.add(type);
      return isFirst;
    },
    free(message) {
      slotsOf(message).free(ownerOf(message));
    },
  };
}

/** Each event without an organization counts as its own owner, so only the total limits it. */
function ownerOf({ id, organizationId }: Message): string {
  return organizationId === null ? `event ${id}` : `organization ${organizationId}`;
}
