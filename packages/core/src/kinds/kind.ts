import type { z } from 'zod';
import type { Reason } from '../base/errors/reasons.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { DomainRules } from '../base/search-options/page-scope.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { Category, ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import type { AskedUnits, Units } from '../catalog/units.js';
import type { PortName, Provider } from '../provider-kit/provider.js';
import type { AskedModel, AttemptContext, CallKind, KindBody, KindCall, ProviderAnswer } from './kind-call.js';

/** Fields of every call that asks a model. */
interface CommonFields {
  readonly model: string;
  readonly tag: string | undefined;
}

/** Names of other services, and of the client whose requests are taken unchanged. Case, hyphens and underscores are not significant. */
export interface ForeignNames {
  /** By the field of this API that does the same, with its name in process. */
  readonly replacements: Readonly<Record<string, readonly string[]>>;
  /** Names that have no effect. Default: none. */
  readonly ignored?: readonly string[] | undefined;
  /** Values that ask for nothing, by name. Default: none. */
  readonly ignoredValues?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** Names without a replacement: an error suggests no field for them, not even one of a similar name. Default: none. */
  readonly refused?: readonly string[] | undefined;
}

/** The limits of a transport, and its names of fields. */
export interface FieldsForm {
  /** What the transport calls a field. */
  readonly nameOf: (field: string) => string;
  readonly maxQueryCharacters: number;
  /** Of all texts of a call together, where a call has many. */
  readonly maxInputCharacters: number;
  /** The model of calls that name none; `undefined` where each call has to name its model. */
  readonly defaultModel?: string | undefined;
  /** Fields of the transport besides those of the call. */
  readonly otherFields?: readonly string[] | undefined;
}

/** How a request is read. Names of fields are those in process; {@link FieldsForm.nameOf} makes those of a transport. */
interface KindRequest<Fields extends CommonFields, Input> {
  /** Whether `search` narrows it down. Default: `false`. */
  readonly hasSearch?: boolean;
  /** Whether its texts are long: its path takes larger bodies. Default: `false`. */
  readonly isLong?: boolean;
  /** Whether its texts may come as objects, so that a body has many keys. Default: `false`. */
  readonly isNested?: boolean;
  fields(maxQueryCharacters: number): z.ZodType<Fields> & { readonly shape: object };
  readonly foreignNames: ForeignNames;
  /** Names of another service that {@link translate} understands. Default: none. */
  readonly translated?: readonly string[] | undefined;
  /** Translates the form of another service into ours, only over HTTP. Default: none. @throws RequestError */
  readonly translate?: ((body: JsonBody) => JsonBody) | undefined;
  /** Refuses what needs other words than those of the schema. @throws RequestError */
  check?(sent: (field: string) => unknown, form: FieldsForm): void;
  /** @throws RequestError for fields that do not fit each other. */
  inputOf(fields: Fields, form: FieldsForm): Input;
}

type JsonBody = Readonly<Record<string, unknown>>;

/** The body of a success. */
interface KindReply<Reply> {
  /** The name of its schema, such as `Search`; that of the request is `SearchRequest`. */
  readonly name: string;
  /** By their names in the description of the API. Made when they are first needed: a gateway starts without them. */
  schemas(): Readonly<Record<string, z.ZodType>>;
  readonly example: Reply;
}

/** What the description of the API says of it. */
interface KindOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Reasons of errors that no other kind has. Default: none. */
  readonly reasons?: readonly Reason[] | undefined;
}

interface KindFacts<Reply extends object> extends Omit<CallKind, 'isCached'> {
  readonly category: Exclude<Category, 'answer'>;
  /** The name of the function in process and in clients, and of a provider's port. */
  readonly port: PortName;
  /** Over HTTP. All but the first are names that clients of other services append to the base URL. */
  readonly paths: readonly [string, ...string[]];
  readonly operation: KindOperation;
  readonly reply: KindReply<Reply>;
  /** The smallest call, for the question whether a budget is enough for any. */
  readonly smallest: Units;
}

/**
 * A kind of call: all that the pipeline and the doors (HTTP, in process, the description of the API) need to know of it. `kinds.ts` lists them.
 *
 * A question is a kind of call too, but has no `Kind`: it comes in the forms of several services and its answer streams, so its doors are written by hand.
 * From the plan on, `QuestionCall` is a {@link KindCall} like the others.
 *
 * @typeParam Fields of a request, checked one by one.
 * @typeParam Input what is asked, checked. Plain JSON: it is part of the names of calls that are alike.
 * @typeParam Value what came of it, checked and bounded. Plain JSON.
 * @typeParam Reply the body of a success.
 */
export interface Kind<Fields extends CommonFields, Input extends object, Value, Reply extends object>
  extends KindFacts<Reply> {
  readonly request: KindRequest<Fields, Input>;
  /** Asks a provider once. @throws UpstreamError also where the provider gave nothing usable. */
  ask(provider: Provider, call: ProviderCall<Input>, context: AttemptContext): Promise<ProviderAnswer<Value>>;
  /** The first field of the input that a model cannot serve; `undefined` where the model can serve it all. */
  unsupportedField(input: Input, model: CallableModel): string | undefined;
  /** The input without the pages that rules forbid. @throws RequestError `domains_exclude_all`. Default: callers name no pages. */
  within?(input: Input, rules: DomainRules): Input;
  /** What is asked, in the units of prices. Measured once, for all models. */
  askedUnits(input: Input): (model: ModelRow) => AskedUnits;
  /** What is charged where the provider says nothing of the cost. @param likely see {@link AskedUnits}. */
  billedUnits(value: Value, likely: Units): Units;
  /** Whether a reply has nothing in it, so that another model may have more. Default: an empty reply is an error. */
  isEmpty?(value: Value): boolean;
  /** The fields of the reply of this kind of call. */
  present(value: Value): KindBody;
  /** Reads a value from a cache. Default: values are not cached. */
  readonly kept?: z.ZodType<Value>;
}

/** What a provider is asked. */
export interface ProviderCall<Input> extends AskedModel {
  readonly input: Input;
}

/** A kind as the doors see it, without the types of what is asked and what comes of it. */
export interface ListedKind extends KindFacts<object> {
  readonly request: Omit<KindRequest<CommonFields, object>, 'inputOf'> & {
    callOf(fields: CommonFields, form: FieldsForm): KindCall;
  };
}

/** Forgets the types of a kind: an input never leaves the call that made it. */
export function listedKind<Fields extends CommonFields, Input extends object, Value, Reply extends object>(
  kind: Kind<Fields, Input, Value, Reply>,
): ListedKind {
  const { inputOf, ...request } = kind.request;
  const facts = { ...kind, isCached: kind.kept !== undefined };
  return {
    ...kind,
    request: { ...request, callOf: (fields, form) => kindCall(facts, inputOf(fields as Fields, form)) },
  };
}

function kindCall<Input extends object, Value>(
  kind: Omit<Kind<never, Input, Value, object>, 'request'> & CallKind,
  input: Input,
): KindCall<Value> {
  const { category, kept, within } = kind;
  const { query = '' } = input as { readonly query?: string };
  let measured: ((model: ModelRow) => AskedUnits) | undefined;
  const askedUnits = (model: ModelRow) => (measured ??= kind.askedUnits(input))(model);
  return {
    kind,
    query,
    askedTexts: () => [
      ...(query === '' ? [] : [query]),
      ...(Object.values(input).filter(Array.isArray).flat() as string[]),
    ],
    cacheKeyInput: () => [category, { ...input, query: undefined }],
    fingerprintInput: (options) => [query, false, category, input, ...givenOptions(options)],
    unsupportedFields(model) {
      const field = kind.unsupportedField(input, model);
      return field === undefined ? [] : [field];
    },
    ...(within && { within: (rules) => kindCall(kind, within(input, rules)) }),
    extraInputTokens: 0,
    askedUnits,
    openStream: () => null,
    ask: (provider, call, context) => kind.ask(provider, { ...call, input }, context),
    billedUnits: (value, model) => kind.billedUnits(value, askedUnits(model).likely),
    ...(kind.isEmpty && { isEmpty: kind.isEmpty }),
    present: (value) => kind.present(value),
    replay: () => undefined,
    writeKept: (value) => ({ value }),
    readKept(stored) {
      if (kept === undefined) throw new Error(`${category} calls are not cached`);
      return kept.parse((stored as { readonly value?: unknown } | null)?.value);
    },
  };
}

/** The options as an object in a list; an empty list for no options, so that options that are added later leave the fingerprints of other calls alone. */
export function givenOptions(options: object): readonly object[] {
  return Object.values(options).some((option) => option !== undefined) ? [options] : [];
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
