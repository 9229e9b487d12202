import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Gateway, GatewayEvent, Logger } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import type { Clock, Instance } from '@searchgate/core/ledger';
import type { Scope } from '../scope.js';
import { LastAlerts } from './alerts.js';
import type { Health, InstanceView, Outage } from './contract.js';
import { isoTime, json, type Routes, within } from './exchange.js';
import { ProviderWindow } from './provider-window.js';

const LEDGER_TIMEOUT_MS = 1_000;
const LEDGER_READ_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
const MAX_MINUTES = 60;

export interface HealthDeps {
  readonly gateway: Pick<Gateway, 'models' | 'status' | 'checkStores'>;
  readonly administration: Administration;
  readonly clock: Clock;
  readonly logger: Logger;
}

const BEAT_EVERY_MS = 10_000;

/** Watches the health of this process. */
export interface HealthWatch {
  readonly routes: Routes;
  record(event: GatewayEvent): void;
  /** Gives no more signs of life. */
  close(): void;
}

export function watchHealth({ gateway, administration, clock, logger }: HealthDeps): HealthWatch {
  const windows = new Map(gateway.status().providers.map(({ id }) => [id, new ProviderWindow()]));
  const alerts = new LastAlerts();
  const outages = watchOutages(gateway);
  const startedMs = clock.monotonic();
  const readLedger = ledgerReader({ gateway, administration, clock, logger });
  const instances = giveSignsOfLife({ administration, clock, logger });

  async function health(scope: Scope): Promise<Health> {
    const ledger = await readLedger();
    const { inFlight, settlesWaiting, closing, providers } = gateway.status();
    const nowMs = clock.now();
    return {
      ledger,
      in_flight: inFlight,
      settles_waiting: settlesWaiting,
      is_closing: closing,
      outages: outages.read(),
      alerts: alerts.read((id) => scope.has(id)),
      since_minutes: Math.min(MAX_MINUTES, Math.floor((clock.monotonic() - startedMs) / MINUTE_MS)),
      ...instances.read(),
      providers: providers.map(({ id, state, pausedUntilMs, keys = [] }) => ({
        id,
        state,
        paused_until: pausedUntilMs === null ? null : isoTime(pausedUntilMs),
        keys: keys.map(({ name, state: ofKey, outUntilMs }) => ({
          name,
          state: ofKey,
          out_until: outUntilMs === null ? null : isoTime(outUntilMs),
        })),
        ...(windows.get(id) ?? new ProviderWindow()).read(nowMs),
      })),
    };
  }

  return {
    routes: { 'api/v1/health': { GET: async ({ scope }) => json(await health(scope)) } },
    close: instances.close,
    record(event) {
      alerts.add(event);
      outages.add(event);
      if (event.type === 'attempt_finished') windows.get(event.provider)?.add(event);
    },
  };
}

/** Tells what calls cannot use, and since when. */
function watchOutages(gateway: Pick<Gateway, 'models' | 'status'>) {
  const pausedSinceMs = new Map<string, number>();

  /** A provider with models, each of which it alone serves; also between two trials. */
  function ofProviders(): readonly Outage[] {
    const paused = gateway.status().providers.filter(({ state }) => state !== 'serving');
    const models = paused.length === 0 ? [] : gateway.models({ callable: true });
    return paused.map(({ id }) => {
      const sinceMs = pausedSinceMs.get(id);
      return {
        of: 'provider',
        provider: id,
        since: sinceMs === undefined ? null : isoTime(sinceMs),
        models: models.filter(({ provider }) => provider === id).map((model) => model.id),
      };
    });
  }

  return {
    add(event: GatewayEvent): void {
      if (event.type !== 'provider_paused' && event.type !== 'provider_resumed') return;
      const { type, provider, organizationId, atMs } = event;
      if (organizationId !== null) return;
      if (type === 'provider_resumed') pausedSinceMs.delete(provider);
      else pausedSinceMs.set(provider, pausedSinceMs.get(provider) ?? atMs);
    },
    read(): readonly Outage[] {
      const stores = gateway
        .status()
        .stores.flatMap(({ id, downSinceMs }): readonly Outage[] =>
          downSinceMs === null ? [] : [{ of: id, provider: null, since: isoTime(downSinceMs), models: [] }],
        );
      return [...stores, ...ofProviders()];
    },
  };
}

/** Tells the other processes of the ledger that this one lives, and hears of them. */
function giveSignsOfLife({ administration, clock, logger }: Omit<HealthDeps, 'gateway'>) {
  const startedAtMs = clock.now();
  const own = { id: randomUUID(), name: `${hostname()} ${process.pid}`, startedAtMs };
  const { instances } = administration;
  let known: readonly Instance[] = [];
  let cancel = (): void => undefined;

  async function beat(): Promise<void> {
    try {
      known = (await instances?.beat({ ...own, seenAtMs: Math.round(clock.now()) })) ?? [];
    } catch (error) {
      known = [];
      logger.warn({ error }, 'the dashboard could not tell other processes that this one lives');
    }
    if (!isClosed) cancel = clock.schedule(BEAT_EVERY_MS, () => void beat(), 'background');
  }

  let isClosed = false;
  if (instances !== null) void beat();
  const wireOf = ({ id, name, startedAtMs: at }: Omit<Instance, 'seenAtMs'>): InstanceView => ({
    id,
    name,
    started_at: isoTime(at),
  });
  return {
    read: (): Pick<Health, 'instance' | 'others'> => ({
      instance: wireOf(own),
      others: instances === null ? null : known.filter(({ id }) => id !== own.id).map(wireOf),
    }),
    close() {
      isClosed = true;
      cancel();
    },
  };
}

const UNUSABLE = 'Calls cannot use it. The log of the server says why.';

/**
 * Asks the gateway, whose readiness and metrics say the same, and reads one entry: at most once a second and never twice in parallel, however many users watch
 * the page.
 */
function ledgerReader({ gateway, administration, clock, logger }: HealthDeps): () => Promise<Health['ledger']> {
  let last: Promise<Health['ledger']> | undefined;
  let startedMs = 0;
  let isReading = false;

  async function readEntry(): Promise<Pick<Health['ledger'], 'read_ms' | 'reason'>> {
    const reading = administration.entries({ limit: 1 }).finally(() => (isReading = false));
    try {
      if ((await within(reading, LEDGER_TIMEOUT_MS, clock)) !== 'late')
        return { read_ms: clock.monotonic() - startedMs, reason: null };
      return { read_ms: null, reason: 'It did not answer within a second.' };
    } catch (error) {
      logger.warn({ error }, 'the dashboard could not read the ledger');
      return { read_ms: null, reason: 'It could not be read. The log of the server says why.' };
    }
  }

  async function read(): Promise<Health['ledger']> {
    const [entry] = await Promise.all([readEntry(), within(gateway.checkStores(), LEDGER_TIMEOUT_MS, clock)]);
    const sinceMs = gateway.status().stores.find(({ id }) => id === 'ledger')?.downSinceMs ?? null;
    if (sinceMs === null) return { is_reachable: entry.reason === null, ...entry, down_since: null };
    return { is_reachable: false, read_ms: null, reason: entry.reason ?? UNUSABLE, down_since: isoTime(sinceMs) };
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
