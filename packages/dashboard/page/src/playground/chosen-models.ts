import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Model } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { aboutUsd } from '../format.js';

/** Each is a call that is paid for, and a column. */
export const MAX_MODELS = 4;

export interface Chosen {
  /** Of one kind. */
  readonly chosen: readonly [Model, ...Model[]];
  /** Ids that are unknown, of another kind than the first, or too many. */
  readonly leftOut: readonly string[];
}

/** The models that an address names as `a,b`; without any, the first of all. */
export function chosenModels(models: readonly Model[], firstModel: Model, text: string): Chosen {
  const ids = [...new Set(text.split(',').filter(Boolean))];
  const named = ids.flatMap((id) => models.find((model) => model.id === id) ?? []);
  const [first = firstModel, ...rest] = named;
  const others = rest.filter(({ category }) => category === first.category).slice(0, MAX_MODELS - 1);
  const chosen = [first, ...others] as const;
  return { chosen: [...chosen], leftOut: ids.filter((id) => !chosen.some((model) => model.id === id)) };
}

/** As in the address. */
export function idsOf(models: readonly Model[]): string {
  return models.map(({ id }) => id).join(',');
}

/** What asking several models will cost: the sum of their prices per call, and the models whose price depends on use. */
export function priceBefore(models: readonly Model[]): string {
  const prices = models.map((model) => ({ id: model.id, amount: pricePerCall(model) }));
  const sum = prices.reduce((total, { amount }) => total + (amount ?? 0), 0);
  const open = prices.filter(({ amount }) => amount === null).map(({ id }) => id);
  const parts = [
    ...(open.length < models.length ? [`about ${aboutUsd(String(sum))}`] : []),
    ...open.map((id) => `what ${id} uses`),
  ];
  return `asks ${models.length} models: ${parts.join(' and ')}`;
}

/** Of a plain call: results beyond those that a search includes are not in it. */
function pricePerCall({ price }: Model): number | null {
  if (price === 'free') return 0;
  const [, amount] = /^\$([\d.]+) a call(?:, \$[\d.]+ a result beyond .*)?$/.exec(price) ?? [];
  return amount === undefined ? null : Number(amount);
}

/** Outlives the view: the addresses of others have no models. */
let keptModels = '';

export interface ChosenIds {
  /** Of models, separated by commas. */
  readonly ids: string;
  readonly choose: (ids: string) => void;
}

/** The models are in the address, so that a comparison can be linked. The question is not: browsers keep addresses, and people send them on. */
export function useChosenIds(): ChosenIds {
  const { view, params, change } = useAddress();
  const { models: ids = '' } = params;
  useLayoutEffect(() => {
    if (ids === '' && keptModels !== '') location.replace(linkTo(view, { ...params, models: keptModels }));
    // Only where the view opens: Back may lead to an address without models.
  }, []);
  useEffect(() => {
    if (view === 'playground') keptModels = ids;
  }, [view, ids]);
  return { ids, choose: (models) => change({ models }) };
}
