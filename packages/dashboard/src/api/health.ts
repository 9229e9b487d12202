import type { Gateway, GatewayEvent, Logger } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import type { Clock } from '@searchgate/core/ledger';
import type { Scope } from '../scope.js';
import { LastAlerts } from './alerts.js';
import type { Health } from './contract.js';
import { isoTime, json, type Routes, within } from './exchange.js';
import { ProviderWindow } from './provider-window.js';

const LEDGER_TIMEOUT_MS = 1_000;
const LEDGER_READ_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
const MAX_MINUTES = 60;

export interface HealthDeps {
  readonly gateway: Pick<Gateway, 'status'>;
  readonly administration: Administration;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Watches the health of this process. */
export interface HealthWatch {
  readonly routes: Routes;
  record(event: GatewayEvent): void;
}

export function watchHealth({ gateway, administration, clock, logger }: HealthDeps): HealthWatch {
  const windows = new Map(gateway.status().providers.map(({ id }) => [id, new ProviderWindow()]));
  const alerts = new LastAlerts();
  const startedMs = clock.monotonic();
  const readLedger = ledgerReader({ administration, clock, logger });

  async function health(scope: Scope): Promise<Health> {
    const ledger = await readLedger();
    const { inFlight, settlesWaiting, closing, providers } = gateway.status();
    const nowMs = clock.now();
    return {
      ledger,
      in_flight: inFlight,
      settles_waiting: settlesWaiting,
      is_closing: closing,
      alerts: alerts.read((id) => scope.has(id)),
      since_minutes: Math.min(MAX_MINUTES, Math.floor((clock.monotonic() - startedMs) / MINUTE_MS)),
      providers: providers.map(({ id, state, pausedUntilMs }) => ({
        id,
        state,
        paused_until: pausedUntilMs === null ? null : isoTime(pausedUntilMs),
        ...(windows.get(id) ?? new ProviderWindow()).read(nowMs),
      })),
    };
  }

  return {
    routes: { 'api/v1/health': { GET: async ({ scope }) => json(await health(scope)) } },
    record(event) {
      alerts.add(event);
      if (event.type === 'attempt_finished') windows.get(event.provider)?.add(event);
    },
  };
}

/** Reads one entry, at most once a second and never twice in parallel, however many users watch the page. */
function ledgerReader({ administration, clock, logger }: Omit<HealthDeps, 'gateway'>): () => Promise<Health['ledger']> {
  let last: Promise<Health['ledger']> | undefined;
  let startedMs = 0;
  let isReading = false;

  async function read(): Promise<Health['ledger']> {
    const reading = administration.entries({ limit: 1 }).finally(() => (isReading = false));
    try {
      if ((await within(reading, LEDGER_TIMEOUT_MS, clock)) === 'late')
        return unreachable('It did not answer within a second.');
      return { is_reachable: true, read_ms: clock.monotonic() - startedMs, reason: null };
    } catch (error) {
      logger.warn({ error }, 'the dashboard could not read the ledger');
      return unreachable('It could not be read. The log of the server says why.');
    }
  }

  return () => {
    if (last === undefined || (!isReading && clock.monotonic() - startedMs >= LEDGER_READ_EVERY_MS)) {
      startedMs = clock.monotonic();
      isReading = true;
      last = read();
    }
    return last;
  };
}

function unreachable(reason: string): Health['ledger'] {
  return { is_reachable: false, read_ms: null, reason };
}
