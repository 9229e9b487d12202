import { fromTokenParts, multiply, type NanoUsd, NO_MARKUP, parseUsd, tokenPart } from '../base/money.js';
import type { CallableModel, CallablePart } from './callable-model.js';
import type { CompiledDynamicPrice, CompiledPrice } from './compile-prices.js';
import type { CostHistory } from './cost-history.js';
import type { ModelRow } from './model-entry.js';
import { feeOf } from './own-key.js';
import { type AskedUnits, listPrice, priceAt, type Units } from './units.js';

interface QuoteTerms {
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** As for {@link listPrice}. */
  readonly units?: Units | undefined;
  /** Tokens of a question beyond those of a query, which the price of an answer does not foresee. Default 0. */
  readonly moreTokens?: number | undefined;
}

/**
 * The amount to hold before a call: the list price, or the 99th percentile of the model's latest costs if higher, even above the row's ceiling, because an
 * expected cost must be held. A price that the host fixed is quoted exactly. Of pages, as many are held as the vendor may bill. Further tokens of a question
 * are added, and markup.
 *
 * With units, the history is of costs in proportion to their list price: an earlier large call does not raise the hold of a small call.
 */
export function quote(price: CompiledPrice, history: CostHistory | undefined, terms: QuoteTerms): NanoUsd {
  const { markup, units, moreTokens = 0 } = terms;
  const pagesEach = price.rates?.heldPages ?? 1;
  const listed = listPrice(price, units && { ...units, pages: (units.pages ?? 0) * pagesEach });
  if (price.kind === 'flat' && price.fixed) return multiply(listed, markup);
  const more = price.kind === 'dynamic' ? fromTokenParts(tokenPart(moreTokens, heldRate(price))) : 0n;
  const figure = history?.percentile99() ?? 0n;
  const usual = units === undefined ? figure : multiply(listed, figure);
  return multiply((usual > listed ? usual : listed) + more, markup);
}

/** Of the dearest listed model (2026-11): a vendor that reports costs may ask any model, and the host's own figures may name no rate. */
const DEAREST_INPUT: NanoUsd = parseUsd('8');

function heldRate({ heldPerMillionInputTokens, perMillionInputTokens }: CompiledDynamicPrice): NanoUsd {
  return heldPerMillionInputTokens ?? perMillionInputTokens ?? DEAREST_INPUT;
}

/** Who asks for what, and when. */
export interface ModelTerms extends Pick<QuoteTerms, 'markup' | 'moreTokens'> {
  readonly organizationId: string;
  /** The prices of this time apply. Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** What a call asks of a model; absent, or `undefined` of it, for answers. */
  readonly unitsOf?: ((model: ModelRow) => AskedUnits | undefined) | undefined;
}

/** The price row of a model, and the amount to hold for a call of the organization: with its own key the highest fee; with the parts that it is made of. */
export function quoteModel(
  { model, prices, histories, own, parts }: Pick<CallableModel, 'model' | 'prices' | 'histories' | 'own' | 'parts'>,
  terms: ModelTerms,
): { readonly price: CompiledPrice; readonly amount: NanoUsd } {
  const { organizationId, nowMs, unitsOf, markup, moreTokens } = terms;
  const price = priceAt(prices, nowMs);
  const ofModel = { markup: own === undefined ? markup : NO_MARKUP, moreTokens, units: unitsOf?.(model)?.held };
  const amount = quote(price, histories.find(organizationId), ofModel);
  const whole = own === undefined ? amount : feeOf(own.fee, amount);
  return { price, amount: parts?.reduce((sum, part) => sum + quotePart(part, terms), whole) ?? whole };
}

/** The dearest model of a part; all of them where several may have to be paid. */
function quotePart({ asked, candidates, isNextOnEmpty }: CallablePart, terms: ModelTerms): NanoUsd {
  const termsOfPart = { ...terms, moreTokens: 0, unitsOf: () => asked };
  let [most, all] = [0n, 0n];
  for (const candidate of candidates) {
    const { amount } = quoteModel(candidate, termsOfPart);
    all += amount;
    if (amount > most) most = amount;
  }
  return isNextOnEmpty ? all : most;
}
