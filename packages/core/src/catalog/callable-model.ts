import type { Facts } from './catalog-member.js';
import type { CompiledPrices } from './compile-prices.js';
import type { CostHistories } from './cost-history.js';
import type { Category, ModelPart, ModelRow } from './model-entry.js';
import type { OwnKey } from './own-key.js';
import type { AskedUnits } from './units.js';

/** A model of a configured provider. */
export interface ProvidedModel {
  readonly category: Category;
  /** The provider's id. */
  readonly provider: string;
  /** Those of the provider. Default: none. */
  readonly policies?: readonly string[] | undefined;
  /** As the provider declares the model: adapters receive the same object. The host's overrides are in the listing and in the fields beside it. */
  readonly model: ModelRow;
}

/** A model of a configured provider with the data that a call needs. */
export interface CallableModel extends Omit<ProvidedModel, 'policies'> {
  /** What is listed, with the host's overrides. */
  readonly facts: Facts;
  readonly prices: CompiledPrices;
  readonly histories: CostHistories;
  /** The deadline of an attempt. */
  readonly timeoutMs: number;
  /** The shortest vector that callers may ask for, where the model lists no lengths. */
  readonly leastDimensions: number;
  /** The key of the organization that calls are made with. Absent for the operator's. */
  readonly own?: OwnKey | undefined;
  /** Of a model that is made of others. Absent for all others. */
  readonly parts?: readonly CallablePart[] | undefined;
}

/** Names the account at a provider: by its id that of the operator, by the key that of an organization. */
export function accountOf({ provider, own }: CallableModel): string | OwnKey {
  return own ?? provider;
}

/** Names a model at an account: by its slug at that of the operator, by itself at that of an organization. */
export function modelAt(candidate: CallableModel): string | object {
  return candidate.own === undefined ? candidate.model.slug : candidate;
}

/** With less than this share of the model's timeout left, an attempt would probably time out, and might still cost money. */
const LEAST_SHARE = 0.25;

/** The time a call must have left before an attempt at this model may begin. */
export function neededMs({ timeoutMs }: Pick<CallableModel, 'timeoutMs'>): number {
  return timeoutMs * LEAST_SHARE;
}

/** A part of an answer, with the models that may serve it. */
export interface CallablePart extends Pick<ModelPart, 'kind' | 'model'> {
  /** What is held for. */
  readonly asked: AskedUnits;
  readonly candidates: readonly CallableModel[];
  /** Whether several of them may have to be paid: an empty reply leads to the next one. */
  readonly isNextOnEmpty: boolean;
}
