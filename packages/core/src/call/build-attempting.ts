import type { EventStream, GatewayEvent } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadlines } from '../base/time/deadline.js';
import { createProviderLimits, type ProviderLimitsOptions } from '../limits/provider-limits.js';
import type { Provider } from '../provider-kit/provider.js';
import { createCircuitBreaker } from '../routing/circuit-breaker.js';
import { createHedgeBudget } from '../routing/hedge-budget.js';
import type { ParsedHedging } from '../routing/hedging-options.js';
import type { Latencies } from '../routing/latencies.js';
import { createAttempt } from './attempt.js';
import type { AttemptCandidatesDeps } from './attempt-candidates.js';
import type { AttemptDeps } from './attempt-context.js';
import { AttemptsUnderWay } from './attempts-under-way.js';
import { ProviderPermits, type ProviderPermitsDeps } from './provider-permits.js';

export interface AttemptingOptions {
  readonly config: AttemptingConfig;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly limits: Pick<ProviderLimitsOptions, 'limits' | 'slots'>;
  readonly openUpstream: AttemptDeps['openUpstream'];
  readonly latencies: Latencies;
  readonly deadlines: Deadlines;
  readonly events: EventStream;
}

/** The gateway options that attempts need. */
interface AttemptingConfig {
  readonly providers: readonly Provider[];
  readonly hedging: ParsedHedging;
  readonly maxAttempts: number;
  readonly maxConnectionsPerProvider: number;
  readonly maxConnectionWaitMs: number;
  readonly retryBaseDelayMs: number;
  readonly retryMaxDelayMs: number;
  readonly providerFailureThreshold: number;
  readonly providerCooldownMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What makes the attempts of all calls, and what permits them. */
export type Attempting = AttemptCandidatesDeps &
  Pick<ProviderPermitsDeps, 'breaker' | 'limits'> & { readonly underWay: AttemptsUnderWay };

/** Builds the parts that make the attempts of all calls. */
export function buildAttempting(options: AttemptingOptions): Attempting {
  const { config, random, openUpstream, latencies, deadlines, events } = options;
  const { clock, logger, maxAttempts, providerCooldownMs: cooldownMs } = config;
  const emit = (event: GatewayEvent) => {
    events.emit(event);
  };
  const breaker = createCircuitBreaker({
    failureThreshold: config.providerFailureThreshold,
    cooldownMs,
    clock,
    emit,
  });
  const providers = new Map(config.providers.map((provider) => [provider.id, provider]));
  const limits = createProviderLimits({
    ...options.limits,
    providers: config.providers,
    connections: config.maxConnectionsPerProvider,
    cooldownMs,
    emit,
    maxConnectionWaitMs: config.maxConnectionWaitMs,
    clock,
  });
  const underWay = new AttemptsUnderWay(clock);
  return {
    attempt: createAttempt({ providers, openUpstream, latencies, deadlines, underWay, clock, events, logger }),
    underWay,
    permits: new ProviderPermits({ breaker, limits, deadlines, clock, events }),
    breaker,
    limits,
    latencies,
    hedgeBudget: createHedgeBudget(config.hedging.maxShare),
    deadlines,
    retry: { baseDelayMs: config.retryBaseDelayMs, maxDelayMs: config.retryMaxDelayMs, random },
    maxAttempts,
    clock,
  };
}
