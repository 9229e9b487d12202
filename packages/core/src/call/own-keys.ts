import { LRUCache } from 'lru-cache';
import type { TenantKey, TenantKeys } from '../auth/tenant-keys.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import { madeIn } from '../base/made-in.js';
import { isApiKey } from '../base/options/is-api-key.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import { type Fee, feeSchema, listFee, OwnKey } from '../catalog/own-key.js';
import type { Provider } from '../provider-kit/provider.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerPlan } from './answer.js';
import { modelsOf } from './answer-key.js';

/** The keys that organizations have at vendors themselves. */
export interface OwnKeys {
  /**
   * Replaces each candidate whose provider the organization has a key at.
   *
   * @returns the route, and the candidates that may be tried with the operator's key after their like.
   * @throws RequestError `provider_key_missing`, `provider_key_unavailable`, `shared_keys_not_allowed`, where no candidate is left.
   */
  route(plan: Pick<AnswerPlan, 'request' | 'route'>): Promise<OwnRoute>;
  /** The fees of an organization by provider. Without those of keys that cannot be found now. */
  feesOf(organizationId: string): Promise<ReadonlyMap<string, ReturnType<typeof listFee>>>;
  /** Looks a key up again at its next use. */
  invalidate(organizationId: string, provider: string): void;
}

interface OwnRoute {
  readonly route: RoutePlan;
  readonly shared: readonly CallableModel[];
}

export interface OwnKeysConfig {
  readonly keys: TenantKeys;
  /** Of keys without a fee of their own. */
  readonly fee: Fee;
  /** Whether the operator's key may be used after the organization's own. */
  readonly sharedKeys: boolean;
  /** Longest wait for a key. */
  readonly timeoutMs: number;
}

export interface OwnKeysDeps {
  readonly providers: readonly Pick<Provider, 'id' | 'ownKeys'>[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is known of a key: `null` for none, `undefined` where that cannot be found out. */
interface Found {
  readonly own: OwnKey | null | undefined;
  /** Stays the same object for as long as the key does. */
  readonly last: OwnKey | null;
}

const NO_KEY: Found = { own: null, last: null };
const MAX_KEYS = 10_000;
const KEPT_MS = 60_000;
/** A vault that is down costs each organization one wait in this time, not one in each call. */
const FAILURE_KEPT_MS = 1_000;

export function createOwnKeys(config: OwnKeysConfig, { providers, clock, logger }: OwnKeysDeps): OwnKeys {
  const askable = new Set(providers.flatMap(({ id, ownKeys }) => (ownKeys === true ? [id] : [])));
  const timedOut = () => new Error(`the keys of organizations did not come within ${config.timeoutMs} ms`);
  const limit = createTimeLimit(clock, config.timeoutMs, { timedOut });
  // Stale keys stay, so that an unchanged key is found to be the same.
  const known = new LRUCache<string, Found>({
    maxSize: MAX_KEYS,
    sizeCalculation: () => 1,
    noDeleteOnStaleGet: true,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: () => clock.monotonic() },
  });
  const lookups = new Map<string, Promise<Found>>();

  /** @throws Error that does not show the key. */
  async function read(organizationId: string, provider: string, last: OwnKey | null): Promise<OwnKey | null> {
    const ask = async () => config.keys.find(organizationId, provider);
    const given = await limit.wait(ask());
    if (given == null) return null;
    const { apiKey, fee: own } = given as Partial<TenantKey>;
    const fee = own === undefined ? config.fee : feeSchema.safeParse(own).data;
    if (!isApiKey(apiKey) || fee === undefined) throw new Error('the key of an organization, or its fee, is malformed');
    return last?.is(apiKey, fee) === true ? last : new OwnKey({ organizationId, provider, fee }, apiKey);
  }

  async function lookUp(name: string, organizationId: string, provider: string): Promise<Found> {
    const last = known.peek(name, { allowStale: true })?.last ?? null;
    try {
      const own = await read(organizationId, provider, last);
      return { own, last: own };
    } catch (error) {
      logger.error({ error, organizationId, provider }, 'the key of an organization could not be found');
      return { own: undefined, last };
    }
  }

  function begin(name: string, organizationId: string, provider: string): Promise<Found> {
    const start = clock.monotonic();
    const lookup: Promise<Found> = lookUp(name, organizationId, provider).then((found) => {
      // A look-up that was running when its key changed is not kept.
      if (lookups.get(name) === lookup) {
        known.set(name, found, found.own === undefined ? { ttl: FAILURE_KEPT_MS } : { start });
        lookups.delete(name);
      }
      return found;
    });
    lookups.set(name, lookup);
    return lookup;
  }

  function find(organizationId: string, provider: string): Found | Promise<Found> {
    if (!askable.has(provider)) return NO_KEY;
    // Ids have no spaces.
    const name = `${organizationId} ${provider}`;
    return known.get(name) ?? lookups.get(name) ?? begin(name, organizationId, provider);
  }

  async function findAll(organizationId: string, of: Iterable<string>) {
    const ids = [...new Set(of)];
    const found = await Promise.all(ids.map((provider) => find(organizationId, provider)));
    return new Map(ids.map((provider, at) => [provider, found[at]?.own]));
  }

  return {
    async route(plan) {
      const { request, route } = plan;
      const wish = request.routing?.keys;
      if (wish === 'shared' && config.sharedKeys) return { route, shared: [] };
      const owns = await findAll(
        request.apiKey.organizationId,
        modelsOf(route).map(({ provider }) => provider),
      );
      const variantOf = (candidate: CallableModel): CallableModel | undefined => {
        const own = owns.get(candidate.provider);
        if (own === null) return wish === 'own' ? undefined : candidate;
        return own === undefined || wish === 'shared' ? undefined : withKey(candidate, own);
      };
      const [first, ...others] = route.candidates.flatMap((each) => variantOf(each) ?? []);
      if (first === undefined) throw refusal([...owns.values()], wish);
      const shared =
        config.sharedKeys && wish === undefined ? route.candidates.filter((each) => owns.get(each.provider)) : [];
      return { route: routeOf(route, [first, ...others], variantOf), shared };
    },
    async feesOf(organizationId) {
      const owns = await findAll(organizationId, askable);
      return new Map([...owns].flatMap(([provider, own]) => (own ? [[provider, listFee(own.fee)] as const] : [])));
    },
    invalidate(organizationId, provider) {
      const name = `${organizationId} ${provider}`;
      known.delete(name);
      lookups.delete(name);
    },
  };
}

/** The longest time stays: the call, and its hold, were planned for it. */
function routeOf(
  route: RoutePlan,
  candidates: RoutePlan['candidates'],
  variantOf: (candidate: CallableModel) => CallableModel | undefined,
): RoutePlan {
  const { order } = route;
  const sorted = order && route.candidates.slice(0, order.sorted).filter((each) => variantOf(each)).length;
  const hedges = route.hedges?.flatMap((hedge) => {
    const [first, second] = [variantOf(hedge.first), variantOf(hedge.second)];
    return first === undefined || second === undefined ? [] : [{ ...hedge, first, second }];
  });
  return { ...route, candidates, order: order && { ...order, sorted: sorted ?? 0 }, hedges };
}

/** By key, because state hangs on each candidate. */
const variants = new WeakMap<OwnKey, Map<CallableModel, CallableModel>>();

function withKey(candidate: CallableModel, own: OwnKey): CallableModel {
  const ofKey = madeIn(variants, own, () => new Map<CallableModel, CallableModel>());
  // What the vendor bills to the organization tells nothing about the prices of the operator.
  const { histories } = candidate;
  const nameOf = (organizationId: string) => `${organizationId} own`;
  return madeIn(ofKey, candidate, () => ({
    ...candidate,
    own,
    histories: { find: (id) => histories.find(nameOf(id)), open: (id) => histories.open(nameOf(id)) },
  }));
}

function refusal(owns: readonly (OwnKey | null | undefined)[], wish: 'own' | 'shared' | undefined): RequestError {
  if (owns.includes(undefined)) return new RequestError('provider_key_unavailable', { retryAfterMs: FAILURE_KEPT_MS });
  return wish === 'own' ? keyMissing() : new RequestError('shared_keys_not_allowed', { param: 'routing.keys' });
}

/** The error of a call that wants an own key, where there is none. */
export function keyMissing(): RequestError {
  return new RequestError('provider_key_missing', { param: 'routing.keys' });
}
