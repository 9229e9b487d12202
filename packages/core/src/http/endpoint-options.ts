import { z } from 'zod';
import { count, port } from '../base/options/option-schemas.js';
import type { WhenUnsupported } from '../kinds/answer/question-call.js';
import type { ListedKind } from '../kinds/kind.js';
import { KIND_LIST, type KindName, type LongKindName } from '../kinds/kinds.js';
import type { Dialect } from './dialect.js';
import type { Extension } from './extension.js';

/** Where questions are asked. */
export const ANSWER_PATH = '/api/v1/answer';

/** The path of a kind whose requests are long. */
export interface LongKindEndpoint {
  /** The model, alias or group of requests that name none. @default none: requests have to name one */
  readonly defaultModel?: string | undefined;
  /** Largest request body. @default 2 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Longest texts of a call together, also in process. @default 1,000,000 characters */
  readonly maxInputCharacters?: number | undefined;
}

type KindEndpoint<Name> = Name extends LongKindName ? LongKindEndpoint : Pick<LongKindEndpoint, 'defaultModel'>;

/**
 * The paths of all kinds of calls but questions, such as `POST /api/v1/search`. `{ defaultModel: 'exa/auto' }` is the model, alias or group of requests that name none.
 * `false` leaves the path to the host, and lists its models as not callable; the function in process works either way. Default: on, as soon as a provider has
 * such models.
 */
type KindEndpoints = {
  readonly [Name in KindName]?: boolean | KindEndpoint<Name> | undefined;
};

/** The package of each extension, by the option that takes it. */
const EXTENSIONS = {
  chatCompletions: '@searchgate/dialects',
  responses: '@searchgate/dialects',
  tavily: '@searchgate/dialects',
  exa: '@searchgate/dialects',
  firecrawl: '@searchgate/dialects',
  searxng: '@searchgate/dialects',
  mcp: '@searchgate/mcp',
} as const;

/**
 * Paths that other packages serve: `chatCompletions: chatCompletions()` and `responses: responses()` of `@searchgate/dialects` take questions in the forms of
 * OpenAI's APIs; `tavily`, `exa`, `firecrawl` and `searxng` serve clients of these services; `mcp: mcp()` of `@searchgate/mcp` gives agents tools.
 */
type ExtensionEndpoints = {
  readonly [Name in keyof typeof EXTENSIONS]?: Dialect | Extension | readonly Dialect[] | undefined;
};

/** Paths in addition to the four endpoints. A path that is off is left to the host. */
export interface EndpointOptions extends KindEndpoints, ExtensionEndpoints {
  /** `GET /api/v1/openapi.json`: the OpenAPI 3.1 document of this gateway. `true` for everyone, `'key'` for callers with a key. @default `false` */
  readonly openapi?: boolean | 'key' | undefined;
  /**
   * `GET /api/v1/usage` and `GET /api/v1/answers/{id}`: the calling key's usage by day, model or tag, and the status of one of its answers.
   *
   * @default `false`
   */
  readonly usage?: boolean | undefined;
  /**
   * Answers that take minutes: `Prefer: respond-async` on `POST /api/v1/answer`, and `GET` and `DELETE /api/v1/answers/{id}`. Needs a store of idempotency
   * keys, which keeps these answers for `idempotencyTtlMs`.
   *
   * @default `false`
   */
  readonly asyncAnswers?: boolean | undefined;
}

/** The options of `responses()` of `@searchgate/dialects`. */
export type ResponsesOptions = WhenUnsupported;

/** The options of `chatCompletions()` of `@searchgate/dialects`. */
export interface ChatOptions extends ResponsesOptions {
  /**
   * The form of `usage.cost`, in US dollars: a number, as OpenRouter's clients read; an object with `total_cost`, as Perplexity's clients read, whose errors then
   * have the HTTP status as their `code`, and the reason as `reason`; or left out.
   *
   * @default `number`
   */
  readonly usageCost?: 'number' | 'object' | 'none' | undefined;
}

const whenUnsupported = {
  instructions: z.enum(['refuse', 'ignore', 'prepend'], '"refuse", "ignore" or "prepend"').optional(),
  maxOutputTokens: z.enum(['refuse', 'ignore'], '"refuse" or "ignore"').optional(),
};

/** Checks {@link ResponsesOptions}. */
export const responsesOptionsSchema = z.strictObject(whenUnsupported, 'an object such as { instructions: "prepend" }');

/** Checks {@link ChatOptions}. */
export const chatOptionsSchema = z.strictObject(
  { ...whenUnsupported, usageCost: z.enum(['number', 'object', 'none'], '"number", "object" or "none"').optional() },
  'an object such as { usageCost: "object" }',
);

function extension(name: string, source: string) {
  const expected = `${name}() of ${source}`;
  const dialect = port<Dialect>(['read'], expected);
  return z.union([dialect, port<Extension>(['respond'], expected), z.array(dialect)], expected).optional();
}

const EXTENSION_SCHEMAS = Object.fromEntries(
  Object.entries(EXTENSIONS).map(([name, source]) => [name, extension(name, source)]),
) as { readonly [Name in keyof typeof EXTENSIONS]: ReturnType<typeof extension> };

/** The options that take extensions. */
export const EXTENSION_NAMES = Object.keys(EXTENSIONS) as readonly (keyof typeof EXTENSIONS)[];

/** The extensions that the host has given. */
export function extensionsOf(endpoints: EndpointOptions): (Dialect | Extension)[] {
  return EXTENSION_NAMES.flatMap((name) => endpoints[name] ?? []);
}

const DEFAULT_INPUT = { maxBodyBytes: 2 * 1_024 * 1_024, maxInputCharacters: 1_000_000 };

function kindEndpoint({ request: { isLong }, reply: { example } }: ListedKind) {
  const defaultModel = z.string().min(1).optional();
  const ofLong = {
    maxBodyBytes: count(64, 64 * 1_024 * 1_024).optional(),
    maxInputCharacters: count(1, 64 * 1_024 * 1_024).optional(),
  };
  const { model } = example as { readonly model: string };
  const expected = `true, false or an object such as { defaultModel: "${model}" }`;
  return z.union([z.boolean(), z.strictObject({ defaultModel, ...(isLong ? ofLong : {}) })], expected).optional();
}

/** Checks of the paths of all kinds of calls but questions, by their names in `endpoints`. */
export const kindEndpointSchemas = Object.fromEntries(
  KIND_LIST.map(([name, kind]) => [name, kindEndpoint(kind)]),
) as object as {
  [Name in KindName]: z.ZodOptional<z.ZodType<NonNullable<KindEndpoints[Name]>>>;
};

export const endpointsSchema = z.strictObject(
  {
    ...kindEndpointSchemas,
    openapi: z.union([z.boolean(), z.literal('key')], 'true, false or "key"').optional(),
    usage: z.boolean('true or false').optional(),
    asyncAnswers: z.boolean('true or false').optional(),
    ...EXTENSION_SCHEMAS,
  },
  'an object such as { openapi: true }',
);

/** The model of requests that name none; `undefined` for no such model. */
export function defaultModelOf(endpoint: boolean | LongKindEndpoint | undefined): string | undefined {
  return typeof endpoint === 'object' ? endpoint.defaultModel : undefined;
}

/** How the fields of a path are read, apart from their names. */
export function fieldLimitsOf(endpoint: boolean | LongKindEndpoint | undefined, maxQueryCharacters: number) {
  const { maxInputCharacters } = inputLimitsOf(endpoint);
  return { maxQueryCharacters, maxInputCharacters, defaultModel: defaultModelOf(endpoint) };
}

/** The limits of a path whose requests are long. */
export function inputLimitsOf(endpoint: boolean | LongKindEndpoint | undefined): typeof DEFAULT_INPUT {
  const { maxBodyBytes, maxInputCharacters } = typeof endpoint === 'object' ? endpoint : DEFAULT_INPUT;
  return {
    maxBodyBytes: maxBodyBytes ?? DEFAULT_INPUT.maxBodyBytes,
    maxInputCharacters: maxInputCharacters ?? DEFAULT_INPUT.maxInputCharacters,
  };
}
