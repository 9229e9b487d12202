import type { z } from 'zod';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';
import type { AskedSearch } from '../base/search-options/asked-search.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { BilledPart } from '../catalog/charge.js';
import type { Category, ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import type { AskedUnits, Units } from '../catalog/units.js';
import type { Loss } from '../ledger/ledger.js';
import type { Slot } from '../limits/provider-limits.js';
import type { CallContext, Provider } from '../provider-kit/provider.js';
import type { SoldUnits } from './attempt-loss.js';

/** The categories whose calls are no questions. */
type CapabilityCategory = Exclude<Category, 'answer'>;

/**
 * A kind of call other than an answer: all that the one pipeline needs to know of it.
 *
 * @typeParam Input what is asked, checked. Plain JSON: it is part of the names of calls that are alike.
 * @typeParam Value what came of it, checked and bounded. Plain JSON.
 */
export interface Capability<Input extends object, Value> {
  readonly category: CapabilityCategory;
  /** First part of the ids of its calls and their ledger entries. */
  readonly idPrefix: string;
  /** Asks a provider once. @throws UpstreamError also where the provider gave nothing usable. */
  ask(provider: Provider, call: ProviderCall<Input>, context: CallContext): Promise<CapabilityOutcome<Value>>;
  /** The first field of the input that a model cannot serve; `undefined` where the model can serve it all. */
  unsupportedField(input: Input, model: CallableModel): string | undefined;
  /** What is asked, in the units of prices. Measured once, for all models. */
  askedUnits(input: Input): (model: ModelRow) => AskedUnits;
  /** What is charged where the provider says nothing of the cost. @param likely see {@link AskedUnits}. */
  billedUnits(value: Value, likely: Units): Units;
  /** The fields of the reply of this kind of call. */
  present(value: Value): CapabilityBody;
  /** Reads a value from a cache; `null` where values are not cached. */
  readonly kept: z.ZodType<Value> | null;
  /** Whether calls that are alike and made at the same time may share one call at a provider. */
  readonly isShared: boolean;
}

/** What a provider is asked. */
export interface ProviderCall<Input> {
  readonly model: ModelRow;
  /** What is listed of the model, with the host's overrides. */
  readonly facts: CallableModel['facts'];
  readonly input: Input;
  readonly search: AskedSearch | undefined;
  /** The caller's options, of which {@link search} is made. */
  readonly options: SearchOptions | undefined;
  /** Takes one more slot at the provider, for a request beside that of the attempt. @returns `null` when the provider or the organization is at its limit. */
  enterSlot(): Slot | null;
  /** The possible cost of a part of the call, by its report or the model's prices. */
  costOf(part: SoldUnits): NanoUsd;
}

/** The fields of a reply, without those that every reply has. */
export interface CapabilityBody {
  /** Before the id. */
  readonly object?: string | undefined;
  /** Behind the provider. */
  readonly fields: object;
  /** Behind the fields: a list that is too long to be written in one turn of the event loop. Default: none. */
  readonly longList?: LongList | undefined;
  /** In `usage`, before the cost. */
  readonly usage: object;
}

interface LongList {
  readonly name: string;
  readonly items: readonly object[];
}

export interface CapabilityOutcome<Value> {
  readonly value: Value;
  readonly cost: OutcomeCost;
  /** The parts that the provider bills, where there are several. */
  readonly parts?: readonly BilledPart[] | undefined;
  /** Of parts that failed: no caller pays for them. */
  readonly losses?: readonly Pick<Loss, 'cost' | 'reason'>[] | undefined;
  readonly upstreamRequestId?: string | undefined;
}

declare const opaque: unique symbol;

/** A value of some capability: only its {@link CapabilityCall} can read it. */
export interface CapabilityValue {
  readonly [opaque]: true;
}

/** One call of a capability, as the pipeline sees it. */
export interface CapabilityCall
  extends Pick<Capability<object, CapabilityValue>, 'category' | 'idPrefix' | 'isShared' | 'present'> {
  readonly input: object;
  readonly unitsOf: (model: ModelRow) => AskedUnits;
  readonly isCached: boolean;
  ask(
    provider: Provider,
    call: Omit<ProviderCall<never>, 'input'>,
    context: CallContext,
  ): Promise<CapabilityOutcome<CapabilityValue>>;
  unsupportedField(model: CallableModel): string | undefined;
  billedUnits(value: CapabilityValue, model: ModelRow): Units;
  /** @throws Error for anything that is no value of this capability. */
  readKept(stored: unknown): CapabilityValue;
}

/** Joins a capability and an input. Here alone the type of the value is forgotten: a value never leaves the call that made it, or a cache that is named by it. */
export function capabilityCall<Input extends object, Value>(
  capability: Capability<Input, Value>,
  input: Input,
): CapabilityCall {
  const { category, idPrefix, isShared, kept } = capability;
  const hidden = (value: Value) => value as unknown as CapabilityValue;
  const shown = (value: CapabilityValue) => value as unknown as Value;
  let asked: ((model: ModelRow) => AskedUnits) | undefined;
  const unitsOf = (model: ModelRow) => (asked ??= capability.askedUnits(input))(model);
  return {
    category,
    idPrefix,
    input,
    unitsOf,
    isCached: kept !== null,
    isShared,
    async ask(provider, call, context) {
      const outcome = await capability.ask(provider, { ...call, input }, context);
      return { ...outcome, value: hidden(outcome.value) };
    },
    unsupportedField: (model) => capability.unsupportedField(input, model),
    billedUnits: (value, model) => capability.billedUnits(shown(value), unitsOf(model).likely),
    present: (value) => capability.present(shown(value)),
    readKept(stored) {
      if (kept === null) throw new Error(`${category} calls are not cached`);
      return hidden(kept.parse(stored));
    },
  };
}

/**
 * Checks the outcome of a port: an adapter written outside this package may hand over anything.
 *
 * @param list the field that has to be a list.
 * @throws UpstreamError `upstream_invalid_response`.
 */
export function requireOutcome<Outcome extends { readonly cost: OutcomeCost }>(
  outcome: Outcome,
  list: keyof Outcome,
): Outcome {
  const cost: Partial<OutcomeCost> | undefined = isObject(outcome) && isObject(outcome.cost) ? outcome.cost : undefined;
  if (cost !== undefined && Array.isArray(outcome[list])) return outcome;
  throw unusable('malformed outcome', cost ?? {});
}

/** The error of an outcome that cannot be right. */
export function unusable(detail: string, { reported, usage }: OutcomeCost): UpstreamError {
  return new UpstreamError('upstream_invalid_response', { phase: 'shape', status: 200, detail, cost: reported, usage });
}

/** Also of values that their types promise to be objects. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The capability of a call that delivered a value. */
export function capabilityOf({ capability }: { readonly capability?: CapabilityCall | undefined }): CapabilityCall {
  if (capability === undefined) throw new Error('a question delivered the value of another capability');
  return capability;
}
