import { isUpstreamError, type UpstreamError } from '../../../packages/core/src/base/errors/upstream-error.js';
import { systemClock } from '../../../packages/core/src/base/time/clock.js';
import { Deadline } from '../../../packages/core/src/base/time/deadline.js';
import { DEFAULTS } from '../../../packages/core/src/gateway-schema.js';
import type { AnswerOutcome, Provider, ProviderQuestion } from '../../../packages/core/src/provider-kit/provider.js';
import type {
  UpstreamClient,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../packages/core/src/upstream/upstream-client.js';
import { createUpstreamPools } from '../../../packages/core/src/upstream/upstream-pools.js';

/** One request as sent, with its reply if there was one. */
export interface Exchange {
  readonly request: UpstreamRequest;
  readonly response: UpstreamResponse | undefined;
  /** The reply headers that the adapter read. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The result of one call of a provider. */
export interface Attempt {
  readonly ending: AnswerOutcome | UpstreamError;
  /** Several if the provider pauses. */
  readonly exchanges: readonly Exchange[];
  readonly durationMs: number;
}

/** Makes one attempt like the gateway: same client, same deadline, no retry. Rethrows the adapter's errors; all but UpstreamErrors are bugs. */
export async function attempt(provider: Provider, call: ProviderQuestion): Promise<Attempt> {
  const pools = createUpstreamPools({
    clock: systemClock,
    maxUpstreamBytes: DEFAULTS.maxUpstreamBytes,
    connectTimeoutMs: DEFAULTS.connectTimeoutMs,
    maxConnectionsPerOrigin: 1,
  });
  const deadline = new Deadline(systemClock, call.model.timeoutMs);
  const exchanges: Exchange[] = [];
  const startedMs = systemClock.monotonic();
  try {
    const context = { upstream: recording(pools.open(deadline), exchanges), signal: deadline.signal };
    if (provider.answer === undefined) throw new Error(`${provider.id} answers no questions`);
    const ending = await provider.answer.answer(call, context).catch((error: unknown) => {
      if (isUpstreamError(error)) return error;
      throw error;
    });
    return { ending, exchanges, durationMs: Math.round(systemClock.monotonic() - startedMs) };
  } finally {
    deadline.clear();
    await pools.close();
  }
}

function recording(client: UpstreamClient, exchanges: Exchange[]): UpstreamClient {
  return {
    async send(request) {
      const headers = new Map<string, string>();
      const index = exchanges.push({ request, response: undefined, headers }) - 1;
      const response = await client.send(request);
      exchanges[index] = { request, response, headers };
      return {
        ...response,
        header(name) {
          const value = response.header(name);
          if (value !== undefined) headers.set(name, value);
          return value;
        },
      };
    },
  };
}
