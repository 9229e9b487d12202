import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { modelName, outputLimit, systemText } from '../../provider-kit/call-fields.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { defineProvider, type OptionsOf, textLike, wholeNumber } from '../../provider-kit/define-provider.js';
import { type FeeInput, messagesAnswer, SEARCH_INSTRUCTION } from '../../provider-kit/messages-answer.js';
import type { Provider, ProviderQuestion, ProviderSettings } from '../../provider-kit/provider.js';
import rows from './models.json' with { type: 'json' };

/** Fields of the tool. A country replaces the whole location of the settings, whose city would contradict the country. */
function anthropicSearch({ includeDomains, excludeDomains, country }: AskedSearch): object {
  return definedFields({
    allowed_domains: includeDomains,
    blocked_domains: excludeDomains,
    user_location: country && { type: 'approximate', country },
  });
}

const HAIKU = 'anthropic/claude-haiku-5-5';

const LONG_PROMPT_TOKENS = 100_000;
/** The surcharge of Haiku 5.5 per million tokens of a long prompt: 0.5, 0.05 and 2.5 instead of 0.1, 0.01 and 0.5. */
const LONG_PROMPT_SURCHARGE = { input: parseUsd('0.4'), cachedInput: parseUsd('0.04'), output: parseUsd('2') };

/**
 * The cost of a request beyond the rates of its row. Anthropic does not state whether the searches of one request make one long prompt together (2026-11-20).
 * The fee assumes that they do (low confidence, in favor of the operator).
 */
function longPromptFee({ slug, tokens }: FeeInput): NanoUsd {
  const { input, cachedInput, output } = tokens;
  if (slug !== HAIKU || input <= LONG_PROMPT_TOKENS) return 0n;
  const { input: perInput, cachedInput: perCached, output: perOutput } = LONG_PROMPT_SURCHARGE;
  return fromTokenParts(
    tokenPart(input - cachedInput, perInput) + tokenPart(cachedInput, perCached) + tokenPart(output, perOutput),
  );
}

/** Where Anthropic differs from the common meaning of statuses (its SDK 1.11.0 and errors quoted in public, read 2026-11-21). */
const ANTHROPIC_ERRORS: ErrorTable = [
  { status: 400, code: 'organization_on_hold', reason: 'upstream_auth_failed' },
  // For an account out of money Anthropic has no code: only the text of the invalid request tells (medium confidence).
  { status: 400, message: /credit balance is too low|api usage limits/i, reason: 'upstream_quota_exhausted' },
  { status: 429, code: /spend_limit_reached$/, reason: 'upstream_quota_exhausted' },
];

/** The settings of `anthropic()`. */
export interface AnthropicSettings extends ProviderSettings {
  /** How thoroughly a model works. Every listed model knows these levels (2026-11). Default `low`. */
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
  /** Most searches of one request, 1 to 20. Comparisons take ten and more. Each search is billed, and so are the pages it finds. Default 3. */
  readonly maxSearches?: number | undefined;
  /**
   * Most tokens of one request's output, thoughts included, 1,024 to 21,333: a longer answer fails. Without streaming, Anthropic's SDKs refuse more,
   * because the request could take over ten minutes (2026-11). Default 8,192.
   */
  readonly maxOutputTokens?: number | undefined;
  /** The place that searches are made from; give at least one field. Default: no place. */
  readonly userLocation?:
    | {
        readonly city?: string | undefined;
        readonly region?: string | undefined;
        /** Two capital letters (ISO 3166-1); a country Anthropic does not support fails every request. */
        readonly country?: string | undefined;
        /** An IANA name such as `Europe/Berlin`. */
        readonly timezone?: string | undefined;
      }
    | undefined;
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const place = z.string('a text').trim().min(1, 'a text that is not empty').optional();

const ownSettings = {
  effort: z.enum(EFFORTS, `one of ${EFFORTS.join(', ')}`).default('low'),
  maxSearches: wholeNumber(1, 20).default(3),
  maxOutputTokens: wholeNumber(1_024, 21_333).default(8_192),
  userLocation: z
    .strictObject({
      city: place,
      region: place,
      country: textLike(/^[A-Z]{2}$/, 'two capital letters').optional(),
      timezone: place,
    })
    .refine((location) => Object.values(location).some((value) => value !== undefined), 'at least one field')
    .optional(),
};

/** Anthropic requires a version with every request. The settings' `headers` may name another version. */
const API_VERSION = { 'anthropic-version': '2026-10-21' };

/**
 * Anthropic (claude.com), by its Messages API with web search, which an administrator can turn off for the organization.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const anthropic: (settings: AnthropicSettings) => Provider = defineProvider({
  id: 'anthropic',
  name: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  models: rows,
  byName: ['answer'],
  settings: ownSettings,
  ports: (connection, options) => ({
    answer: messagesAnswer(
      { ...connection, headers: { ...API_VERSION, ...connection.headers } },
      { errors: ANTHROPIC_ERRORS, request: (call) => anthropicRequest(call, options), otherFees: longPromptFee },
    ),
  }),
});

/** The body of `POST /v1/messages` without its messages (as documented 2026-11-20). */
function anthropicRequest(call: ProviderQuestion, options: OptionsOf<typeof ownSettings>): object {
  const { model, search } = call;
  const { effort, maxSearches, maxOutputTokens, userLocation } = options;
  return {
    model: modelName(model),
    max_tokens: outputLimit(call, maxOutputTokens),
    system: systemText(call, SEARCH_INSTRUCTION),
    tools: [
      {
        // By default, newer versions of the tool search inside of code, and then give no citations.
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: maxSearches,
        ...(userLocation === undefined ? {} : { user_location: { type: 'approximate', ...userLocation } }),
        ...(search && anthropicSearch(search)),
      },
    ],
    output_config: { effort },
    // The tier of the price rows.
    service_tier: 'standard_only',
  };
}
