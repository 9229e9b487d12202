import type { Model } from '../../../src/api/contract.js';

/** Each is a call that is paid for, and a column. */
export const MAX_MODELS = 4;

type Models = readonly [Model, ...Model[]];

/** The models of ids such as `a,b`, of one kind; without any, the first of all. */
export function chosenModels(models: Models, ids: string): Models {
  const named = [...new Set(ids.split(','))].flatMap((id) => models.find((model) => model.id === id) ?? []);
  const [first = models[0], ...rest] = named;
  return [first, ...rest.filter(({ category }) => category === first.category).slice(0, MAX_MODELS - 1)];
}
