import { InvalidArgumentError } from '@ai-sdk/provider';
import { z } from 'zod';

/** Options of every question to a model: the second argument of `searchgate(slug, settings)`. */
export interface SearchgateModelSettings {
  /** Narrows the sources. The gateway refuses options that the model does not support with `unsupported_option`. Default: no limits. */
  readonly search?:
    | {
        /** 1 to 20 host names; not together with `excludeDomains`. */
        readonly includeDomains?: readonly string[] | undefined;
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
      }
    | undefined;
  /** Fallback models and the highest price. Default: the operator's settings. */
  readonly routing?:
    | {
        /** 0 to 4 slugs, tried in this order. */
        readonly fallbacks?: readonly string[] | undefined;
        readonly sort?: 'price' | 'latency' | undefined;
        /** Decimal USD such as `'0.01'`: models that need a larger hold are not asked. */
        readonly maxCost?: string | undefined;
      }
    | undefined;
  /** Your label for the calls, such as a team: usage is summed per tag. 1 to 64 printable characters. */
  readonly tag?: string | undefined;
  /** `false` for an answer without `[n]` markers and sources. Default `true`. */
  readonly includeCitations?: boolean | undefined;
}

/** `providerOptions.searchgate` of one call. An option given here replaces the same setting of the model. */
export interface SearchgateOptions extends SearchgateModelSettings {
  /** 1 to 255 printable ASCII characters. Calls with the same key are charged once. Default: a new key per call, shared by its tries. */
  readonly idempotencyKey?: string | undefined;
}

// Only names and types are checked here: the gateway checks the values, and its errors name the field.
const settingsSchema = z.strictObject({
  search: z
    .strictObject({
      includeDomains: z.array(z.string()).optional(),
      excludeDomains: z.array(z.string()).optional(),
      freshness: z.string().optional(),
      publishedAfter: z.string().optional(),
      publishedBefore: z.string().optional(),
      country: z.string().optional(),
      language: z.string().optional(),
    })
    .optional(),
  routing: z
    .strictObject({
      fallbacks: z.array(z.string()).optional(),
      sort: z.string().optional(),
      maxCost: z.string().optional(),
    })
    .optional(),
  tag: z.string().optional(),
  includeCitations: z.boolean().optional(),
});

const optionsSchema = settingsSchema.extend({
  idempotencyKey: z
    .string()
    .regex(/^[ -~]{1,255}$/, 'expected 1 to 255 printable ASCII characters')
    .optional(),
});

type Settings = z.output<typeof settingsSchema>;
export type Options = z.output<typeof optionsSchema>;

/** @throws InvalidArgumentError naming each wrong or unknown setting. */
export function checkSettings(settings: unknown): Settings {
  return check(settingsSchema, 'settings', settings);
}

/** @throws InvalidArgumentError naming each wrong or unknown option. */
export function checkOptions(options: unknown): Options {
  return check(optionsSchema, 'providerOptions', options);
}

function check<T>(schema: z.ZodType<T>, argument: string, value: unknown): T {
  const { success, data, error } = schema.safeParse(value ?? {});
  if (success) return data;
  throw new InvalidArgumentError({ argument, message: `Searchgate: ${z.prettifyError(error)}`, cause: error });
}

/** The body of `POST /api/v1/answer`, with names in snake_case. Undefined fields are not sent. */
export function requestBody(model: string, query: string, { search, routing, tag, includeCitations }: Settings) {
  return {
    model,
    query,
    include_citations: includeCitations,
    tag,
    search: search && {
      include_domains: search.includeDomains,
      exclude_domains: search.excludeDomains,
      freshness: search.freshness,
      published_after: search.publishedAfter,
      published_before: search.publishedBefore,
      country: search.country,
      language: search.language,
    },
    routing: routing && { fallbacks: routing.fallbacks, sort: routing.sort, max_cost: routing.maxCost },
  };
}
