import {
  type ApiKeySource,
  commonSettings,
  type ModelPart,
  type ProviderLimits,
  type ProviderSettings,
  parseOptions,
  wholeNumber,
} from '@searchgate/core/provider-kit';
import { z } from 'zod';

/** A server in the form of OpenAI's chat completions: OpenAI, vLLM, Ollama, LM Studio, OpenRouter and others. */
export interface ChatServer extends Pick<ProviderSettings, 'headers'> {
  /** Its http(s) URL up to `/chat/completions`: it ends in `/v1` for most. */
  readonly baseUrl: string;
  /** A key, or a function that returns the current one. Default: none is sent. */
  readonly apiKey?: ApiKeySource | undefined;
  /** The name of the model at the server. */
  readonly model: string;
  /** Decimal strings, USD. Default: the model is free. */
  readonly prices?: { readonly perMillionInputTokens: string; readonly perMillionOutputTokens: string } | undefined;
  /** The longest answer in tokens, 1 to 100,000. Default 1,000. */
  readonly maxOutputTokens?: number | undefined;
}

/** The parts of an answer model. */
export interface ComposedModel {
  /** A search model, an alias or a group of the gateway; or 1 to 4 of them, asked at once. */
  readonly search: string | readonly string[];
  /** Results of each search, 1 to 10, of which a search gives as many as it can. Default 8. */
  readonly results?: number | undefined;
  /** Reads the best pages. Default: the snippets of the searches are enough. */
  readonly pages?: ComposedPages | undefined;
  /** A rerank model, which sorts passages. Default: the words of the question do. */
  readonly rerank?: string | undefined;
  /** The model that writes. */
  readonly chat: ChatServer;
  /** Whether the words of each cited sentence have to stand in its source. Default `words`. */
  readonly check?: 'words' | 'off' | undefined;
  /**
   * A citation whose source lacks the words: `strip` removes it, `mark` replaces it by `[?]`, `fail` ends the call with `upstream_invalid_response`.
   * Default `strip`.
   */
  readonly onUnsupported?: 'strip' | 'mark' | 'fail' | undefined;
  /** Replaces the system message that is built in. Default: to answer briefly from the sources, and to cite them. */
  readonly instructions?: string | undefined;
  /** The deadline of a whole answer in milliseconds, 1,000 to 600,000. Default 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** How pages are read. */
export interface ComposedPages {
  /** An extract model, an alias or a group of the gateway. */
  readonly extract: string;
  /** Pages of an answer, 1 to 10. Default 4. */
  readonly most?: number | undefined;
  /** Longest text of a page, 1,000 to 100,000. Default 20,000. */
  readonly maxCharacters?: number | undefined;
}

/** The settings of `composed()`. */
export interface ComposedSettings extends ProviderLimits, Pick<ProviderSettings, 'policies'> {
  /** The first part of the slugs: lower-case letters, digits and dashes. */
  readonly id: string;
  /** As people write it. Default: the id. */
  readonly name?: string | undefined;
  /** At least one, by the second part of its slug: lower-case letters, digits, `.`, `_` and `-`. */
  readonly models: Readonly<Record<string, ComposedModel>>;
}

const ID = /^[a-z0-9][a-z0-9-]*$/;
const MODEL = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const slug = z.string('the slug of a model').min(1, 'the slug of a model').max(256, 'a slug');
const SEARCHES = 'a search model, or 1 to 4 different ones';
const PRICE = 'a decimal string such as "0.15"';
const price = z.string(PRICE).regex(/^\d{1,6}(?:\.\d{1,9})?$/, PRICE);

const { apiKey, baseUrl, headers, policies, rateLimit, maxConcurrent, maxQueueMs } = commonSettings(null, [], {
  keyless: true,
});

const chat = z.strictObject(
  {
    baseUrl,
    apiKey,
    headers,
    model: z.string('the name of a model').min(1, 'the name of a model'),
    prices: z
      .strictObject(
        { perMillionInputTokens: price, perMillionOutputTokens: price },
        'an object with perMillionInputTokens and perMillionOutputTokens',
      )
      .optional(),
    maxOutputTokens: wholeNumber(1, 100_000).default(1_000),
  },
  'an object with baseUrl and model',
);

const recipe = z.strictObject(
  {
    search: z
      .union([slug.transform((one) => [one]), z.array(slug).min(1).max(4)], SEARCHES)
      .refine((all) => new Set(all).size === all.length, SEARCHES),
    results: wholeNumber(1, 10).default(8),
    pages: z
      .strictObject(
        {
          extract: slug,
          most: wholeNumber(1, 10).default(4),
          maxCharacters: wholeNumber(1_000, 100_000).default(20_000),
        },
        'an object such as { extract: "jina/reader" }',
      )
      .optional(),
    rerank: slug.optional(),
    chat,
    check: z.enum(['words', 'off'], '"words" or "off"').default('words'),
    onUnsupported: z.enum(['strip', 'mark', 'fail'], '"strip", "mark" or "fail"').default('strip'),
    instructions: z
      .string('a text')
      .trim()
      .min(1, 'a text')
      .max(20_000, 'a text of at most 20000 characters')
      .optional(),
    timeoutMs: wholeNumber(1_000, 600_000).default(60_000),
  },
  'an object with search and chat',
);

/** A checked {@link ComposedModel}. */
export type Recipe = z.output<typeof recipe>;

const MODELS = 'an object of models by their names: lower-case letters, digits, ".", "_" and "-"';
const settingsSchema = z.strictObject({
  id: z.string('an id').regex(ID, 'lower-case letters, digits and dashes'),
  name: z.string('a name').trim().min(1, 'a name').optional(),
  models: z
    .record(z.string().regex(MODEL, MODELS), recipe, MODELS)
    .refine((models) => Object.keys(models).length > 0, 'at least one model'),
  policies,
  rateLimit,
  maxConcurrent,
  maxQueueMs,
});

/** @throws ConfigurationError that lists every problem. */
export function readSettings(settings: ComposedSettings): z.output<typeof settingsSchema> {
  const { id } = (settings as Partial<ComposedSettings> | undefined) ?? {};
  return parseOptions(settingsSchema, settings, typeof id === 'string' && ID.test(id) ? id : 'composed');
}

/** The other models that an answer asks. */
export function partsOf({ search, results, pages, rerank }: Recipe, ranked: ModelPart['most']): readonly ModelPart[] {
  return [
    ...search.map((model): ModelPart => ({ kind: 'search', model, most: { results } })),
    ...(pages ? [{ kind: 'extract', model: pages.extract, most: { pages: pages.most } } as const] : []),
    ...(rerank === undefined ? [] : [{ kind: 'rerank', model: rerank, most: ranked } as const]),
  ];
}
