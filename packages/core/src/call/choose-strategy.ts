import type { AnswerPlan, RequestContext } from './answer.js';
import type { AnswerCache, Hit } from './answer-cache.js';
import { answerKey } from './answer-key.js';
import type { AnswerStrategy, Delivered } from './answer-strategy.js';
import { type AskProvidersDeps, askProviders } from './ask-providers.js';
import { holdAmount } from './held-funds.js';
import type { SharedCalls } from './shared-calls.js';

export interface ChooseStrategyDeps extends AskProvidersDeps {
  /** `null` when answers are not cached. */
  readonly cache: AnswerCache | null;
  /** `null` when calls are not shared. */
  readonly sharing: SharedCalls | null;
}

/**
 * Chooses the source of an answer: a cached answer, else a matching call in flight, else providers. A caller who wants a new answer skips the first
 * two.
 *
 * @throws RequestError `max_cost_exceeded`, `upstream_unavailable`.
 */
export function chooseStrategy(
  deps: ChooseStrategyDeps,
  plan: AnswerPlan,
  context: RequestContext,
): AnswerStrategy | Promise<AnswerStrategy> {
  const { cache: mode, call } = plan.request;
  const cache = call.kind.isCached ? deps.cache : null;
  const sharing = call.kind.isShared ? deps.sharing : null;
  if (cache !== null) context.cache = { status: mode ?? 'miss', isStored: false };
  const isAlone = mode !== undefined || sharing === null;
  if (isAlone && (mode === 'off' || cache === null)) return askProviders(deps, plan, context);
  return findShared(cache === deps.cache ? deps : { ...deps, cache }, { plan, context }, isAlone);
}

/** Chooses the strategy of a call that uses the cache, or may join a matching call. */
async function findShared(
  deps: ChooseStrategyDeps,
  { plan, context }: Call,
  isAlone: boolean,
): Promise<AnswerStrategy> {
  const { cache, sharing } = deps;
  const { cache: mode } = plan.request;
  const key = answerKey(plan);
  const found = cache === null || mode === 'refresh' ? null : await cache.find(key, plan);
  if (found !== null && found !== 'failed') return keptAnswerStrategy(deps, { plan, context }, found);
  const keeper = found === 'failed' ? null : cache;
  const ask = (own: AnswerPlan) => keeping(keeper, { key, plan, context }, askProviders(deps, own, context));
  return isAlone || sharing === null ? ask(plan) : sharing.strategy({ key, plan, context, ask });
}

interface Call {
  readonly plan: AnswerPlan;
  readonly context: RequestContext;
}

/** Serves a cached answer: it is held and charged like any answer, but costs the operator nothing. */
function keptAnswerStrategy(
  { holding }: ChooseStrategyDeps,
  { plan, context }: Call,
  { kept, cost, ...age }: Hit,
): AnswerStrategy {
  const { model, provider, value, beforeMarkup } = kept;
  context.cache = { status: 'hit', ...age };
  context.model = model;
  const charge = { cost, model, provider, costSource: 'cached', upstreamCost: 0n } as const;
  return {
    async hold(holdId) {
      return { amount: await holdAmount(holding, { holdId, plan, context, wanted: { amount: cost, model } }) };
    },
    deliver: () => Promise.resolve({ status: 'answered', value, charge, beforeMarkup }),
  };
}

/** A strategy that keeps each whole answer of another strategy before the caller gets it. */
function keeping(
  cache: AnswerCache | null,
  call: Call & { readonly key: string },
  strategy: AnswerStrategy,
): AnswerStrategy {
  if (cache === null) return strategy;
  return {
    hold: (holdId) => strategy.hold(holdId),
    async deliver(held, live) {
      const delivery = await strategy.deliver(held, live);
      if (delivery.status === 'answered') await keep(cache, call, delivery);
      return delivery;
    },
  };
}

async function keep(
  cache: AnswerCache,
  { key, plan, context }: Call & { readonly key: string },
  { value, charge, beforeMarkup }: Delivered,
): Promise<void> {
  const { model, provider } = charge;
  const isStored = await cache.keep(key, plan, { model, provider, value, beforeMarkup });
  context.cache = { status: plan.request.cache ?? 'miss', isStored };
}
