import type { AnswerPart, EventStream } from '../base/events/events.js';
import { type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import type { CallableModel } from '../catalog/catalog.js';
import {
  type ChargedCost,
  type ChargeTerms,
  chargeFee,
  charge as chargeFor,
  isMismatch,
  recordCost,
} from '../catalog/charge.js';
import type { ModelRow } from '../catalog/model-entry.js';
import type { ModelTerms } from '../catalog/quote.js';
import type { KindCall, ProviderAnswer } from '../kinds/kind-call.js';
import type { AnswerPlan, AnswerRequest, RequestContext } from './answer.js';
import type { AnswerCache, Hit } from './answer-cache.js';
import { answerKey } from './answer-key.js';
import type { AnswerStrategy, Delivered, OwnHold } from './answer-strategy.js';
import { type AskPartDeps, partAsker } from './ask-part.js';
import type { PaidReply } from './asked-parts.js';
import { type AttemptsResult, attemptCandidates } from './attempt-candidates.js';
import { type HeldFunds, type HoldDeps, holdAmount, holdFunds } from './held-funds.js';
import { keyMissing, type OwnKeys } from './own-keys.js';
import { routeNow, withShared } from './route-now.js';
import type { SharedCalls } from './shared-calls.js';

export interface ChooseStrategyDeps extends AskRouteDeps {
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
  const { model, provider, value, beforeMarkup, fee } = kept;
  context.cache = { status: 'hit', ...age };
  context.model = model;
  const charge = { cost, model, provider, costSource: 'cached', upstreamCost: 0n, tenantCost: fee && 0n } as const;
  return {
    async hold(holdId) {
      return { amount: await holdAmount(holding, { holdId, plan, context, wanted: { amount: cost, model } }) };
    },
    deliver: () => Promise.resolve({ status: 'answered', value, charge, beforeMarkup, fee }),
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
  { value, charge, beforeMarkup, fee }: Delivered,
): Promise<void> {
  const { model, provider } = charge;
  const isStored = await cache.keep(key, plan, { model, provider, value, beforeMarkup, fee });
  context.cache = { status: plan.request.cache ?? 'miss', isStored };
}

/** The strategy that asks providers. @throws RequestError `provider_key_missing`, and as {@link askRoute}. */
function askProviders(deps: AskRouteDeps, plan: AnswerPlan, context: RequestContext): AnswerStrategy {
  const { ownKeys } = deps;
  if (ownKeys !== null) return askWithOwnKeys(deps, ownKeys, { plan, context });
  if (plan.request.routing?.keys === 'own') throw keyMissing();
  return askRoute(deps, { plan, context });
}

/** Finds the keys of the organization before anything is held. */
function askWithOwnKeys(deps: AskRouteDeps, ownKeys: OwnKeys, { plan, context }: Call): AnswerStrategy<OwnHold> {
  return {
    async hold(holdId) {
      const { route, shared } = await ownKeys.route(plan);
      const strategy = askRoute(deps, { plan: { ...plan, route }, context }, shared);
      const held = await strategy.hold(holdId);
      return { amount: held.amount, deliver: (live) => strategy.deliver(held, live) };
    },
    deliver: (held, live) => held.deliver(live),
  };
}

interface AskRouteDeps extends PriceOutcomeDeps, AskPartDeps {
  readonly holding: HoldDeps;
  /** The multiplier an organization pays, in billionths. */
  markupOf(organizationId: string): bigint;
}

/**
 * Sorts the candidates now, then tries in order those that the hold covers.
 *
 * @param shared candidates to try after their like with the organization's own key. Default: none.
 * @throws RequestError `max_cost_exceeded`, `upstream_unavailable`.
 */
function askRoute(
  deps: AskRouteDeps,
  { plan, context }: Call,
  shared: readonly CallableModel[] = [],
): AnswerStrategy<HeldFunds> {
  const { request } = plan;
  const { maxAttempts } = deps.attempting;
  const { organizationId } = request.apiKey;
  const nowMs = deps.clock.now();
  const markup = deps.markupOf(organizationId);
  const { askedUnits: unitsOf, extraInputTokens: moreTokens } = request.call;
  const terms = { organizationId, nowMs, markup, unitsOf, moreTokens };
  const route = withShared(routeNow(deps, plan, terms), shared);
  context.model = route.candidates[0].model.slug;
  deps.attempting.permits.requireUsable({ candidates: route.candidates, request });
  return {
    hold: (holdId) => holdFunds(deps.holding, { holdId, plan, route, maxAttempts, context, ...terms }),
    deliver(hold, live) {
      const askPart = hasParts(hold) ? partAsker(deps, { request, context, hold, terms }) : undefined;
      return attemptCandidates(deps.attempting, { hold, request, context, live, askPart }).then((attempts) =>
        attempts.status === 'failed' ? attempts : priceOutcome(deps, attempts, { hold, request, terms, context }),
      );
    },
  };
}

function hasParts({ route: { candidates, hedges = [] } }: HeldFunds): boolean {
  return candidates.some(({ parts }) => parts) || hedges.some(({ second }) => second.parts);
}

interface PriceOutcomeDeps {
  readonly clock: Clock;
  readonly events: EventStream;
  /** For a call that costs more than its hold: `charge` charges the full cost; `absorb` charges the held amount, and the rest is the operator's loss. */
  readonly overrun: 'charge' | 'absorb';
}

type ServedAnswer = Extract<AttemptsResult, { readonly status: 'answered' }>;

/** The strongest first. */
const COST_SOURCES = ['reported', 'computed', 'flat', 'ceiling'] as const;

interface PricedCall {
  readonly hold: HeldFunds;
  readonly request: AnswerRequest;
  readonly terms: ModelTerms;
  readonly context: RequestContext;
}

/** Computes the costs of a delivered answer and of the empty replies before it, and the caller's one charge. */
function priceOutcome(deps: PriceOutcomeDeps, { paid, losses: failed }: ServedAnswer, call: PricedCall): Delivered {
  let losses = failed;
  let [cost, beforeMarkup, upstreamCost, weakest] = [0n, 0n, 0n, 0];
  let [fee, tenantCost]: (NanoUsd | undefined)[] = [];
  const parts: AnswerPart[] = [];
  for (const reply of paid) {
    const priced = priceReply(deps, reply, { call, charged: cost });
    const { uncovered } = priced;
    parts.push({ model: reply.served.model.slug, cost: priced.charged });
    cost += priced.charged;
    beforeMarkup += priced.beforeMarkup;
    if (priced.tenantCost !== undefined) {
      fee = (fee ?? 0n) + priced.charged;
      tenantCost = (tenantCost ?? 0n) + priced.tenantCost;
    }
    // The uncovered part is in the losses.
    upstreamCost += priced.upstreamCost - uncovered;
    weakest = Math.max(weakest, COST_SOURCES.indexOf(priced.costSource));
    const reason = priced.isImplausible ? 'cost_implausible' : 'cost_absorbed';
    const { model, provider } = reply.served;
    if (uncovered > 0n) losses = [...losses, { model: model.slug, provider, cost: uncovered, reason }];
  }
  if (paid.some(({ part }) => part !== undefined)) call.context.parts = parts;
  const { outcome, served } = paid.at(-1) ?? paid[0];
  const costSource = COST_SOURCES[weakest] ?? 'ceiling';
  const { model, provider } = served;
  const charge = { cost, model: model.slug, provider, costSource, upstreamCost, tenantCost, losses };
  return { status: 'answered', value: outcome.value, beforeMarkup, fee, charge };
}

/** @param charged what the replies before it cost the caller. */
function priceReply(
  deps: PriceOutcomeDeps,
  { outcome, served, part }: PaidReply,
  { call, charged }: { readonly call: PricedCall; readonly charged: NanoUsd },
): ChargedCost {
  const { hold, request, terms, context } = call;
  const mostCharged = deps.overrun === 'absorb' ? hold.amount - charged : null;
  const sold = billedUnitsOf(part?.call ?? request.call, outcome, served.model);
  const { own } = served;
  const bounds = own === undefined ? { markup: terms.markup, mostCharged } : { markup: NO_MARKUP, mostCharged: null };
  const cost = chargeFor(part?.price ?? hold.priceOf(served), outcome.cost, { ...bounds, ...sold });
  // Only real costs feed later quotes. A ceiling price is a substitute and is not recorded.
  if (!cost.isImplausible && cost.costSource !== 'ceiling')
    recordCost(served.histories.open(terms.organizationId), cost);
  const priced = own === undefined ? cost : chargeFee(own.fee, cost, mostCharged);
  reportCost(deps, { ...cost, charged: priced.charged }, { served, terms, context });
  return priced;
}

const NO_UNITS = Object.freeze({});

/** What is billed where the provider says nothing. Of an empty value a report of no cost is believed. */
function billedUnitsOf(
  call: KindCall,
  { value, parts }: ProviderAnswer,
  model: ModelRow,
): Pick<ChargeTerms, 'units' | 'asked' | 'parts' | 'mayBeFree'> {
  const units = call.billedUnits(value, model);
  if (units === undefined) return NO_UNITS;
  const mayBeFree = Object.values(units).every((count) => count === 0);
  return { units, asked: call.askedUnits(model), parts, mayBeFree };
}

/** Emits an event when a cost is unknown or looks wrong. */
function reportCost(
  { clock, events }: PriceOutcomeDeps,
  { charged, upstreamCost, costSource, computed, isImplausible }: ChargedCost,
  { served: { model }, terms, context }: Pick<PricedCall, 'terms' | 'context'> & Pick<PaidReply, 'served'>,
): void {
  const { organizationId } = terms;
  const about = () => ({ atMs: clock.now(), requestId: context.requestId, organizationId, model: model.slug });
  if (isImplausible) events.emit({ type: 'cost_implausible', ...about(), reported: upstreamCost, charged });
  else if (costSource === 'ceiling') events.emit({ type: 'cost_unknown', ...about(), charged });
  else if (costSource === 'reported' && computed !== null && isMismatch(upstreamCost, computed)) {
    events.emit({ type: 'cost_mismatch', ...about(), reported: upstreamCost, computed });
  }
}
