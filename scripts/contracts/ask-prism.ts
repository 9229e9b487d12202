import { isUpstreamError, UpstreamError } from '../../packages/core/src/errors/upstream-error.js';
import type { Provider } from '../../packages/core/src/provider-kit/provider.js';
import type { AskedSearch } from '../../packages/core/src/search-options/asked-search.js';
import { systemClock } from '../../packages/core/src/time/clock.js';
import { Deadline } from '../../packages/core/src/time/deadline.js';
import type {
  UpstreamClient,
  UpstreamRequest,
  UpstreamResponse,
} from '../../packages/core/src/upstream/upstream-client.js';
import { createUpstreamPools } from '../../packages/core/src/upstream/upstream-pools.js';

/** A request of a provider, and what Prism replied. */
export interface Exchange {
  readonly request: UpstreamRequest;
  readonly response: UpstreamResponse;
}

const QUERY = 'When did the “Zephyr Bridge” open?';
const TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 32 * 1_024 * 1_024;

/** The requests a provider would send for a model, without sending them. */
export async function requestsOf(provider: Provider, slug: string): Promise<UpstreamRequest[]> {
  const requests: UpstreamRequest[] = [];
  const upstream: UpstreamClient = {
    send(request) {
      requests.push(request);
      return Promise.reject(new UpstreamError('upstream_unreachable', { phase: 'connect' }));
    },
  };
  await attempt(provider, { slug }, { upstream, signal: new AbortController().signal });
  return requests;
}

/** Lets a provider send its requests for a model for real, and hands over what came back; what the provider makes of it does not matter. */
export async function exchangesOf(provider: Provider, slug: string, search?: AskedSearch): Promise<Exchange[]> {
  const pools = createUpstreamPools({
    clock: systemClock,
    maxUpstreamBytes: MAX_REPLY_BYTES,
    connectTimeoutMs: TIMEOUT_MS,
    maxConnectionsPerOrigin: 1,
  });
  const deadline = new Deadline(systemClock, TIMEOUT_MS);
  const exchanges: Exchange[] = [];
  const upstream: UpstreamClient = {
    async send(request) {
      const response = await pools.open(deadline).send(request);
      exchanges.push({ request, response });
      return response;
    },
  };
  try {
    await attempt(provider, { slug, search }, { upstream, signal: deadline.signal });
  } finally {
    deadline.clear();
    await pools.close();
  }
  return exchanges;
}

async function attempt(
  { id, models, answer }: Provider,
  { slug, search }: { readonly slug: string; readonly search?: AskedSearch | undefined },
  context: Parameters<Provider['answer']['answer']>[1],
): Promise<void> {
  const model = models.find((candidate) => candidate.slug === slug);
  if (model === undefined) throw new Error(`${id} has no model ${slug}`);
  try {
    await answer.answer({ model, query: QUERY, search }, context);
  } catch (error) {
    if (!isUpstreamError(error)) throw error;
  }
}
