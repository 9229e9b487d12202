import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { TenantKey, TenantKeys } from '../auth/tenant-keys.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import { madeIn } from '../base/made-in.js';
import { isApiKey } from '../base/options/is-api-key.js';
import { count, port } from '../base/options/option-schemas.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import { feeSchema, listFee, type OwnKey } from '../catalog/own-key.js';
import type { Provider } from '../provider-kit/provider.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { RouteKeys } from '../routing/routing-preferences.js';
import type { AnswerPlan } from './answer.js';
import { modelsOf } from './answer-key.js';

export type OwnKeys = NonNullable<ReturnType<typeof createOwnKeys>>;

/** The option `byok` of a gateway. */
export const byokSchema = z.strictObject(
  {
    keys: port<TenantKeys>(['find'], 'what finds keys: an object with find'),
    fee: feeSchema.prefault('0'),
    sharedKeys: z.boolean('true or false').default(false),
    timeoutMs: count(1, 600_000).default(2_000),
  },
  'an object such as { keys }',
);
type OwnKeysConfig = z.output<typeof byokSchema>;

export interface OwnKeysOptions {
  /** Default: organizations have no keys of their own. */
  readonly byok?: OwnKeysConfig | undefined;
  readonly providers: readonly Pick<Provider, 'id' | 'ownKeys'>[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is known of a key: `null` for none, `undefined` where that cannot be found out. */
type Own = OwnKey | null | undefined;

/** A look-up that has ended, or is under way. */
interface Found {
  readonly asked: Promise<Own>;
  /** Whether it has ended, and there is no key: then a call needs not wait. */
  isNone: boolean;
}

const MAX_KEYS = 50_000;
const KEPT_MS = 60_000;
/** A vault that is down costs each organization one wait in this time, not one in each call. */
const FAILURE_KEPT_MS = 1_000;

/** Look-ups of keys, of which equal ones at the same time are one. */
function createKeyLookUps({ keys, timeoutMs, ...byok }: OwnKeysConfig, { clock, logger }: OwnKeysOptions) {
  const timedOut = () => new Error(`the keys of organizations did not come within ${timeoutMs} ms`);
  const limit = createTimeLimit(clock, timeoutMs, { timedOut });
  const age = { ttl: KEPT_MS, ttlResolution: 0, perf: { now: () => clock.monotonic() } };
  const size = { maxSize: MAX_KEYS, sizeCalculation: () => 1 };
  const known = new LRUCache<string, Found>({ ...size, ...age });
  /** An unchanged key is found to be the same object. */
  const last = new LRUCache<string, OwnKey>(size);

  /** @throws Error that does not show the key. */
  async function read(name: string, organizationId: string, provider: string): Promise<OwnKey | null> {
    const ask = async () => keys.find(organizationId, provider);
    const given: Partial<TenantKey> | null | undefined = await limit.wait(ask());
    if (given == null) return null;
    const { apiKey } = given;
    const fee = given.fee === undefined ? byok.fee : feeSchema.safeParse(given.fee).data;
    if (!isApiKey(apiKey) || fee === undefined) throw new Error('the key of an organization, or its fee, is malformed');
    const before = last.get(name);
    const isSame = before?.reveal() === apiKey && before.fee.share === fee.share && before.fee.request === fee.request;
    return isSame ? before : { organizationId, provider, fee, reveal: () => apiKey };
  }

  function lookUp(name: string, organizationId: string, provider: string): Found {
    const keep = (own: Own) => {
      // A look-up that was running when its key changed is not kept.
      if (known.peek(name) !== found) return own;
      found.isNone = own === null;
      if (own === undefined) known.set(name, found, { ttl: FAILURE_KEPT_MS });
      else if (own !== null) last.set(name, own);
      return own;
    };
    const asked = read(name, organizationId, provider).then(keep, (error: unknown) => {
      logger.error({ error, organizationId, provider }, 'the key of an organization could not be found');
      return keep(undefined);
    });
    const found: Found = { asked, isNone: false };
    known.set(name, found);
    return found;
  }

  // Ids have no spaces.
  const nameOf = (organizationId: string, provider: string) => `${organizationId} ${provider}`;
  return {
    find(organizationId: string, provider: string): Found {
      const name = nameOf(organizationId, provider);
      return known.get(name) ?? lookUp(name, organizationId, provider);
    },
    /** Looks a key up again at its next use. */
    invalidate(organizationId: string, provider: string): void {
      for (const each of [known, last]) each.delete(nameOf(organizationId, provider));
    },
  };
}

/** Finds the keys that organizations have at vendors themselves. @returns `null` where they have none. */
export function createOwnKeys(options: OwnKeysOptions) {
  const { byok } = options;
  if (byok === undefined) return null;
  const { sharedKeys } = byok;
  const askable = options.providers.filter(({ ownKeys }) => ownKeys === true).map(({ id }) => id);
  const { find, invalidate } = createKeyLookUps(byok, options);
  /** By key, because the latencies of a candidate hang on it. */
  const variants = new WeakMap<OwnKey, Map<CallableModel, CallableModel>>();

  function withKey(candidate: CallableModel, own: OwnKey): CallableModel {
    const ofKey = madeIn(variants, own, () => new Map<CallableModel, CallableModel>());
    return madeIn(ofKey, candidate, () => ({ ...candidate, own }));
  }

  async function findAll(organizationId: string, ids: Iterable<string>): Promise<ReadonlyMap<string, Own>> {
    const found = [...new Set(ids)].map(async (id) => {
      return [id, askable.includes(id) ? await find(organizationId, id).asked : null] as const;
    });
    return new Map(await Promise.all(found));
  }

  return {
    /**
     * Replaces each candidate whose provider the organization has a key at.
     *
     * @returns the route, and the candidates that may be tried with the operator's key after their like.
     * @throws RequestError `provider_key_missing`, `provider_key_unavailable`, `shared_keys_not_allowed`, where no candidate is left.
     */
    async route({ request, route }: Pick<AnswerPlan, 'request' | 'route'>) {
      const wish = request.routing?.keys;
      const { organizationId } = request.apiKey;
      // Most organizations are known to have no keys.
      const hasNone = ({ provider }: CallableModel) =>
        !askable.includes(provider) || find(organizationId, provider).isNone;
      const isAsBefore = wish === 'shared' ? sharedKeys : wish === undefined && modelsOf(route).every(hasNone);
      if (isAsBefore) return { route, shared: [] };
      const ids = modelsOf(route).map(({ provider }) => provider);
      const owns = await findAll(organizationId, ids);
      const variantOf = (candidate: CallableModel): CallableModel | undefined => {
        const own = owns.get(candidate.provider);
        if (own === null) return wish === 'own' ? undefined : candidate;
        return own === undefined || wish === 'shared' ? undefined : withKey(candidate, own);
      };
      const [first, ...others] = route.candidates.flatMap((each) => variantOf(each) ?? []);
      if (first === undefined) throw refusal([...owns.values()], wish);
      const mayBeShared = sharedKeys && wish === undefined;
      const shared = mayBeShared ? route.candidates.filter((each) => owns.get(each.provider)) : [];
      const { order, hedges } = route;
      const isLeft = (each: CallableModel) => variantOf(each) !== undefined;
      const replaced: RoutePlan = {
        // The longest time stays: the call, and its hold, were planned for it.
        ...route,
        candidates: [first, ...others],
        order: order && { ...order, sorted: route.candidates.slice(0, order.sorted).filter(isLeft).length },
        hedges: hedges?.flatMap((hedge) => {
          const [one, two] = [variantOf(hedge.first), variantOf(hedge.second)];
          return one === undefined || two === undefined ? [] : [{ ...hedge, first: one, second: two }];
        }),
      };
      return { route: replaced, shared };
    },
    /** The fees of an organization by provider. Without those of keys that cannot be found now. */
    async feesOf(organizationId: string) {
      const owns = [...(await findAll(organizationId, askable))];
      return new Map(owns.flatMap(([provider, own]) => (own ? [[provider, listFee(own.fee)]] : [])));
    },
    invalidate,
  };
}

function refusal(owns: readonly Own[], wish: RouteKeys | undefined): RequestError {
  if (owns.includes(undefined)) return new RequestError('provider_key_unavailable', { retryAfterMs: FAILURE_KEPT_MS });
  return wish === 'own' ? keyMissing() : new RequestError('shared_keys_not_allowed', { param: 'routing.keys' });
}

/** The error of a call that wants an own key, where there is none. */
export function keyMissing(): RequestError {
  return new RequestError('provider_key_missing', { param: 'routing.keys' });
}
