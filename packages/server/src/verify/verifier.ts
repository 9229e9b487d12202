import {
  createGateway,
  type Gateway,
  type GatewayEvent,
  type GatewayOptions,
  isRequestError,
  memoryApiKeys,
  memoryLedger,
  type NanoUsd,
} from '@searchgate/core';
import { messageOf } from '../problems.js';
import type { Observation } from './checks.js';
import { type CallLog, observed } from './observed-provider.js';
import { ask, type PlannedCall } from './planned-calls.js';

/** Makes calls through a gateway with a ledger in memory: the operator's own is not touched. */
export interface Verifier {
  readonly gateway: Gateway;
  /** The price of a call by its row, in nanodollars. Nothing is sent. */
  quote(call: PlannedCall): Promise<NanoUsd>;
  /** Makes a call. Never rejects. */
  observe(call: PlannedCall, quoted: NanoUsd): Promise<Omit<Observation, 'shapes'>>;
}

/** What the gateway is made of. `models`: the changes of the file; `signal` ends waiting for a call; `elapsedMs` is for durations. */
type VerifierParts = Pick<GatewayOptions, 'providers' | 'models'> & {
  readonly signal: AbortSignal;
  elapsedMs(): number;
};

const PAYER = { organizationId: 'verify', operatorPays: true };

/** @throws ConfigurationError for what the service would refuse too. */
export function createVerifier({ providers, models, signal, elapsedMs }: VerifierParts): Verifier {
  const log: CallLog = { isQuoting: false, exchanges: [], outcomes: [] };
  let events: GatewayEvent[] = [];
  let tell = (_event: GatewayEvent): void => undefined;
  let calls = 0;
  const ledger = memoryLedger();
  const gateway = createGateway({
    providers: providers.map((provider) => observed(provider, log)),
    ledger,
    apiKeys: memoryApiKeys([]),
    models,
    // Each reply is looked at, and no failure may keep the next model from being called.
    maxAttempts: 1,
    providerFailureThreshold: 1_000_000,
    drainTimeoutMs: 1_000,
    onEvent: (event) => tell(event),
    logger: { warn: nothing, error: nothing },
  });
  return {
    gateway,
    async quote(call) {
      log.isQuoting = true;
      const error = await failureOf(ask(gateway, call, { apiKey: { ...PAYER, id: 'quote', limit: '0' } }));
      log.isQuoting = false;
      return isRequestError(error) && error.reason === 'key_limit_reached' ? (error.details?.required ?? 0n) : 0n;
    },
    async observe(call, quoted) {
      [log.exchanges, log.outcomes] = [[], []];
      // A key for each call, by which its entries are found.
      const keyId = `call-${(calls += 1)}`;
      // The last event of a call comes after its answer.
      const finished = new Promise<void>((resolve) => {
        events = [];
        tell = (event) => {
          events.push(event);
          if (event.type === 'request_finished' && event.keyId === keyId) resolve();
        };
      });
      const startMs = elapsedMs();
      let parts: number | null = null;
      const asked = ask(gateway, call, { apiKey: { ...PAYER, id: keyId }, signal });
      const error = await failureOf(asked.then((count) => (parts = count)));
      const durationMs = elapsedMs() - startMs;
      // A call that was cut off goes on.
      if (!signal.aborted) await finished;
      const { entries } = await ledger.entries({ keyId });
      const { exchanges, outcomes } = log;
      const reason = isRequestError(error) ? error.reason : error === undefined ? null : messageOf(error);
      return { call, quoted, reason, outcomes, exchanges, events, entries, durationMs, parts };
    },
  };
}

/** The error of a call; `undefined` for an answer. */
const failureOf = (work: Promise<unknown>) => work.then(nothing, (error: unknown) => error);
function nothing(): undefined {}
