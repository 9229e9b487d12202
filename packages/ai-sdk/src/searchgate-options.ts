import { InvalidArgumentError, type SharedV4ProviderOptions } from '@ai-sdk/provider';
import { z } from 'zod';

/** Options of every call to a model. */
export interface CallSettings {
  /** Fallback models and the highest price. @default the operator's settings */
  readonly routing?:
    | {
        /** 0 to 4 slugs, tried in this order. */
        readonly fallbacks?: readonly string[] | undefined;
        /** The cheapest first, or the one that has lately answered fastest. */
        readonly sort?: 'price' | 'latency' | undefined;
        /** Decimal USD such as `'0.01'`: models that need a larger hold are not asked. */
        readonly maxCost?: string | undefined;
        /** 1 to 8 policies, such as `zdr`: only models whose provider has all of them are asked. */
        readonly require?: readonly string[] | undefined;
        /** `['error']`: not the next model after a search without results, where the operator allows that. */
        readonly fallbackOn?: readonly ('error' | 'empty')[] | undefined;
      }
    | undefined;
  /** Your label for the calls, such as a team: usage is summed per tag. 1 to 64 printable characters. @default no tag */
  readonly tag?: string | undefined;
}

/** Options of every question to a model: the second argument of `searchgate(slug, settings)`. */
export interface SearchgateModelSettings extends CallSettings {
  /** Narrows the sources. The gateway refuses options that the model does not support with `unsupported_option`. @default no limits */
  readonly search?:
    | {
        /** 1 to 20 host names; not together with `excludeDomains`. */
        readonly includeDomains?: readonly string[] | undefined;
        /** 1 to 20 host names. */
        readonly excludeDomains?: readonly string[] | undefined;
        /** Not together with `publishedAfter`. */
        readonly freshness?: 'day' | 'week' | 'month' | 'year' | undefined;
        /** `YYYY-MM-DD`, first day included. */
        readonly publishedAfter?: string | undefined;
        /** `YYYY-MM-DD`, last day included. */
        readonly publishedBefore?: string | undefined;
        /** ISO 3166-1 alpha-2, such as `DE`. */
        readonly country?: string | undefined;
        /** ISO 639-1, such as `de`. */
        readonly language?: string | undefined;
        /** Only news. */
        readonly topic?: 'news' | undefined;
      }
    | undefined;
  /** `false` for an answer without `[n]` markers and sources. @default `true` */
  readonly includeCitations?: boolean | undefined;
}

/** The argument of `searchTool(settings)`. */
export interface SearchToolSettings extends CallSettings {
  /** The slug of a search model, such as `exa/auto`, or an alias or group of the operator. @default the operator's `defaultModel` */
  readonly model?: string | undefined;
  /** Narrows the search. @default no limits */
  readonly search?: SearchgateModelSettings['search'];
  /** 1 to 100. @default 10 */
  readonly maxResults?: number | undefined;
  /** Whether the text of each page is wanted. @default `false` */
  readonly includeContent?: boolean | undefined;
  /** Longest text of a page that the model gets. @default 8,000 */
  readonly maxCharacters?: number | undefined;
}

export interface OwnKey {
  /** 1 to 255 printable ASCII characters. Calls with the same key are charged once. @default a new key per call, shared by its tries */
  readonly idempotencyKey?: string | undefined;
}

/** `providerOptions.searchgate` of one question. An option given here replaces the same setting of the model. */
export interface SearchgateOptions extends SearchgateModelSettings, OwnKey {}

/** `providerOptions.searchgate` of `embed` and `embedMany`, which may make several requests. */
export interface SearchgateEmbeddingOptions extends CallSettings {
  /** The role of the texts, for models that know roles. Others ignore it. @default no role */
  readonly inputType?: 'query' | 'document' | undefined;
}

// Only names and types are checked here: the gateway checks the values, and its errors name the field.
export const callSettings = z.strictObject({
  routing: z
    .strictObject({
      fallbacks: z.array(z.string()).optional(),
      sort: z.string().optional(),
      maxCost: z.string().optional(),
      require: z.array(z.string()).optional(),
      fallbackOn: z.array(z.string()).optional(),
    })
    .optional(),
  tag: z.string().optional(),
});

const searchSettings = callSettings.extend({
  search: z
    .strictObject({
      includeDomains: z.array(z.string()).optional(),
      excludeDomains: z.array(z.string()).optional(),
      freshness: z.string().optional(),
      publishedAfter: z.string().optional(),
      publishedBefore: z.string().optional(),
      country: z.string().optional(),
      language: z.string().optional(),
      topic: z.string().optional(),
    })
    .optional(),
});

export const idempotencyKey = z
  .string()
  .regex(/^[ -~]{1,255}$/, 'expected 1 to 255 printable ASCII characters')
  .optional();

export const answerSettings = searchSettings.extend({ includeCitations: z.boolean().optional() });
export const answerOptions = answerSettings.extend({ idempotencyKey });
export const embeddingOptions = callSettings.extend({ inputType: z.string().optional() });
export const searchToolSettings = searchSettings.extend({
  model: z.string().optional(),
  maxResults: z.number().optional(),
  includeContent: z.boolean().optional(),
  maxCharacters: z.int().min(1).default(8_000),
});

/** @throws InvalidArgumentError naming each wrong or unknown option. */
export function checkOptions<T>(schema: z.ZodType<T>, providerOptions: SharedV4ProviderOptions = {}): T {
  return check(schema, 'providerOptions', providerOptions['searchgate']);
}

/** @throws InvalidArgumentError naming each wrong or unknown setting. */
export function checkSettings<T>(schema: z.ZodType<T>, settings: unknown): T {
  return check(schema, 'settings', settings);
}

function check<T>(schema: z.ZodType<T>, argument: string, value: unknown): T {
  const { success, data, error } = schema.safeParse(value ?? {});
  if (success) return data;
  throw new InvalidArgumentError({ argument, message: `Searchgate: ${z.prettifyError(error)}`, cause: error });
}

/** The body of `POST /api/v1/answer`, with names in snake_case. Undefined fields are not sent. */
export function requestBody(model: string, question: object, settings: z.output<typeof answerSettings>) {
  const { search, includeCitations } = settings;
  return {
    model,
    ...question,
    include_citations: includeCitations,
    ...callFields(settings),
    search: searchField(search),
  };
}

/** The fields of every call. */
export function callFields({ routing, tag }: z.output<typeof callSettings>) {
  const { maxCost, fallbackOn, ...others } = routing ?? {};
  return { tag, routing: routing && { ...others, max_cost: maxCost, fallback_on: fallbackOn } };
}

export function searchField(search: z.output<typeof searchSettings>['search']) {
  return (
    search && {
      include_domains: search.includeDomains,
      exclude_domains: search.excludeDomains,
      freshness: search.freshness,
      published_after: search.publishedAfter,
      published_before: search.publishedBefore,
      country: search.country,
      language: search.language,
      topic: search.topic,
    }
  );
}
