import type { GatewayEvent } from '@searchgate/core';
import { formatUsd } from '@searchgate/core/ledger';
import type { Alert } from './contract.js';
import { isoTime } from './exchange.js';

const MAX_ALERTS = 20;

/** The last alerts that this process has seen. */
export class LastAlerts {
  #alerts: readonly Alert[] = [];

  add(event: GatewayEvent): void {
    const alert = alertOf(event);
    if (alert !== undefined) this.#alerts = [alert, ...this.#alerts].slice(0, MAX_ALERTS);
  }

  /** The newest first. */
  read(isShown: (organizationId: string) => boolean): readonly Alert[] {
    return this.#alerts.filter(({ organization_id }) => organization_id === null || isShown(organization_id));
  }
}

function alertOf(event: GatewayEvent): Alert | undefined {
  const at = isoTime(event.atMs);
  switch (event.type) {
    case 'budget_threshold':
    case 'budget_exhausted': {
      const { organizationId, keyId, budget, usage, limit } = event;
      const share =
        event.type === 'budget_threshold' ? ` and reached ${Number(event.threshold) * 100} %` : ' and was refused';
      const whose = budget === null ? '' : ` of the budget ${budget}`;
      const message = `used $${formatUsd(usage)} of $${formatUsd(limit)}${whose}${share}`;
      return { at, type: event.type, organization_id: organizationId, key_id: keyId, provider: null, message };
    }
    case 'credits_low': {
      const message = `has $${formatUsd(event.balance)} left, less than $${formatUsd(event.below)}`;
      return { at, type: event.type, organization_id: event.organizationId, key_id: null, provider: null, message };
    }
    case 'provider_paused': {
      const message = `paused until ${isoTime(event.untilMs).slice(11, 19)} UTC: ${event.reason}`;
      return {
        at,
        type: event.type,
        organization_id: event.organizationId,
        key_id: null,
        provider: event.provider,
        message,
      };
    }
    default:
      return undefined;
  }
}
