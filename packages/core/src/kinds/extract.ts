import { z } from 'zod';
import { RequestError } from '../base/errors/request-error.js';
import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import { hasMoreCharacters } from '../base/options/characters.js';
import type { PageScope } from '../base/search-options/page-scope.js';
import { askedFor, type Units } from '../catalog/units.js';
import type { Slot } from '../limits/provider-limits.js';
import {
  type ExtractedPage,
  type ExtractOutcome,
  type ExtractPort,
  type FailedPage,
  PAGE_FAILURES,
  type PageFailure,
  type ProviderExtract,
} from '../provider-kit/provider.js';
import { filterAddresses } from '../text/address-filter.js';
import { hasWords } from '../text/has-words.js';
import { boundText, dayOf, pageTitle } from '../text/page-fields.js';
import type { AnswerHead } from './answer/answer-listener.js';
import { costOfParts, errorOfParts, type PaidPart, partsOf, runParts } from './batches.js';
import type { ModelCallOptions } from './call-options.js';
import { countField, invalidFields, modelField, mustBe, tagField } from './fields.js';
import foreignNames from './foreign-names/extract.json' with { type: 'json' };
import { isObject, type Kind, type ProviderCall, requireOutcome } from './kind.js';
import type { AttemptContext } from './kind-call.js';
import { pagesByAddress } from './pages-by-address.js';
import { publicAddress } from './public-address.js';
import { type Charged, charges, head, text, wholeNumber } from './reply-schemas.js';
import { mayBeBilled, costOf as reportedCost } from './sold-units.js';

/** What is read. */
export interface ExtractInput extends Omit<ProviderExtract, 'model'> {
  /** Of each page. */
  readonly maxCharacters: number;
  /** The addresses that the caller named, where rules forbid some. Default: `urls`. */
  readonly named?: readonly string[] | undefined;
}

/** A page as callers see it. */
interface ReadPage {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly date: string | null;
  /** Whether the text is longer than was asked for, or the provider read a part of the page. */
  readonly truncated: boolean;
  /** The address of the page, where the provider names another one than was asked for, such as after a redirect. */
  readonly resolved_url?: string | undefined;
}

/** Why a page is missing: nobody was asked for it, or it came from a host outside of the caller's rules. */
const EXCLUDED = 'page_excluded';
const REASONS = [...PAGE_FAILURES, EXCLUDED] as const;

/** An address whose page was not read, as callers see it. */
interface UnreadPage {
  readonly url: string;
  readonly reason: (typeof REASONS)[number];
}

/** Both in the order of the addresses. */
export interface Extracted {
  readonly results: readonly ReadPage[];
  readonly failed: readonly UnreadPage[];
}

/** A call in process. */
export interface ExtractCallOptions extends ModelCallOptions {
  /** Slug of an extract model, an alias or a group. @default `endpoints.extract.defaultModel` */
  readonly model?: string | undefined;
  /** 1 to 20 public http(s) addresses without credentials. */
  readonly urls: readonly string[];
  /** @default `markdown` */
  readonly format?: 'markdown' | 'text' | null | undefined;
  /** Longest text of a page, 1,000 to 1,000,000 characters. @default 200,000 */
  readonly maxCharacters?: number | null | undefined;
}

/** The reply of `POST /extract`, the same in process. */
export interface ExtractReply extends AnswerHead {
  /** The pages that were read, at least one, in the order of the addresses. */
  readonly results: readonly ReadPage[];
  /** The pages that were not read. */
  readonly failed: readonly UnreadPage[];
  readonly usage: { readonly pages: number } & Charged;
}

const MAX_URLS = 20;
const DEFAULT_CHARACTERS = 200_000;
/** Longest texts of all pages of a call together: a reply is written while other calls wait. */
const MAX_ALL_CHARACTERS = MAX_URLS * DEFAULT_CHARACTERS;

/** Each field by itself: how much text there is together, `inputOf` checks. */
function fields() {
  return z.object({
    model: modelField('extract', 'exa/contents'),
    urls: z
      .array(z.unknown(), mustBe(`an array of 1 to ${MAX_URLS} http(s) addresses`))
      // No bounds of zod's, which would also name the length of a text.
      .refine((urls) => urls.length > 0, 'must not be empty')
      .refine((urls) => urls.length <= MAX_URLS, `must have at most ${MAX_URLS} addresses`)
      .transform((urls, context) => {
        const addresses = urls.map(publicAddress);
        for (const [at, address] of addresses.entries())
          if ('problem' in address) context.addIssue({ code: 'custom', path: [at], message: address.problem });
        return [...new Set(addresses.map((address) => ('url' in address ? address.url : '')))];
      })
      .meta({
        description: `The pages to read: 1 to ${MAX_URLS} public http(s) addresses without credentials.`,
        minItems: 1,
        maxItems: MAX_URLS,
        items: { type: 'string', format: 'uri', maxLength: 2_048 },
      }),
    format: z
      .enum(['markdown', 'text'], mustBe('"markdown" or "text"'))
      .nullish()
      .transform((format) => format ?? 'markdown')
      .describe('The form of the text. Default: markdown.'),
    maxCharacters: countField(1_000, 1_000_000)
      .transform((count) => count ?? DEFAULT_CHARACTERS)
      .describe(`The longest text of a page. Default: ${DEFAULT_CHARACTERS}.`),
    tag: tagField(),
  });
}

const readPage = z
  .strictObject({
    url: text('The address that was asked for.'),
    title: text('The title of the page, or its host name.'),
    content: text('The text of the page.'),
    date: z.iso.date().nullable().describe('The day of publication, where it is known.'),
    truncated: z.boolean().describe('Whether the text goes on beyond `max_characters`.'),
    resolved_url: z
      .string()
      .optional()
      .describe('The address of the page, where the provider names another one, such as after a redirect.'),
  })
  .describe('A page that was read.');

function replySchema() {
  return z
    .strictObject({
      ...head,
      results: z.array(readPage).describe('At least one, in the order of `urls`.'),
      failed: z
        .array(z.strictObject({ url: z.string(), reason: z.enum(REASONS) }))
        .describe('The pages that could not be read, in the order of `urls`.'),
      usage: z.strictObject({ pages: wholeNumber, ...charges }),
    })
    .describe('The pages of an extract.');
}

/** `POST /extract`. A page that cannot be read is named; only where none can be read, the call fails. */
export const extractKind: Kind<z.output<ReturnType<typeof fields>>, ExtractInput, Extracted, ExtractReply> = {
  category: 'extract',
  port: 'extract',
  paths: ['/api/v1/extract'],
  idPrefix: 'ext',
  operation: {
    operationId: 'extract',
    summary: 'Read pages',
    description: 'Reads the text of pages. Pages that cannot be read are named in `failed`.',
    reasons: ['no_page_extracted'],
  },
  request: {
    fields,
    foreignNames,
    inputOf({ urls, format, maxCharacters }, { nameOf }) {
      const most = Math.floor(MAX_ALL_CHARACTERS / urls.length);
      if (maxCharacters <= most) return { urls, format, maxCharacters };
      const message = `must be at most ${most} for ${urls.length} addresses`;
      throw invalidFields([{ path: nameOf('maxCharacters'), message }]);
    },
  },
  reply: {
    name: 'Extract',
    schemas: () => ({ Extract: replySchema(), ReadPage: readPage }),
    example: {
      id: 'ext_01M7YFX2222TA0797FDHDYZR0C',
      model: 'exa/contents',
      provider: 'exa',
      results: [
        {
          url: 'https://example.org/zephyr',
          title: 'Zephyr Bridge opens',
          content: '# Zephyr Bridge opens',
          date: '2021-05-14',
          truncated: false,
        },
      ],
      failed: [{ url: 'https://example.org/gone', reason: 'page_not_found' }],
      usage: { pages: 1, cost: 0.001 },
    },
  },
  hasFallbacks: true,
  pages: 'named',
  mayFailByInput: true,
  smallest: { pages: 1 },
  async ask({ id, extract: port }, call, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no extract`);
    const parts = await readInParts(port, call, context);
    const { results, failed } = extractedOf(parts, call);
    if (results.length === 0) throw nothingRead(parts, failed);
    const losses = parts.flatMap(({ error, amount }) =>
      error !== undefined && amount > 0n ? [{ cost: amount, reason: error.reason }] : [],
    );
    const upstreamRequestId = parts.map((part) => part.upstreamRequestId).find((each) => typeof each === 'string');
    const delivered = parts.filter(({ error }) => error === undefined);
    const billed = delivered.filter((part) => part.results.length > 0 || part.amount > 0n);
    const cost = costOfParts(delivered);
    return { value: { results, failed }, cost, parts: billed, losses, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  within(input, { allows }) {
    const urls = input.urls.filter(allows);
    if (urls.length === 0) throw new RequestError('domains_exclude_all', { param: 'urls' });
    return urls.length === input.urls.length ? input : { ...input, urls, named: input.urls };
  },
  unsupportedField: () => undefined,
  askedUnits({ urls }) {
    const asked = askedFor(unitsOf(urls));
    return () => asked;
  },
  billedUnits: ({ results }) => ({ pages: results.length }),
  present: ({ results, failed }) => ({ fields: { results, failed }, usage: { pages: results.length } }),
  isShared: true,
};

/** What came of some of the addresses. */
interface Part extends Extracted, PaidPart {
  /** Why the part failed as a whole. */
  readonly error?: UpstreamError | undefined;
  readonly upstreamRequestId?: string | null | undefined;
}

/** What the parts gave together, within the rules of the caller. */
function extractedOf(parts: readonly Part[], { input, scope }: ProviderCall<ExtractInput>): Extracted {
  const results = parts.flatMap((part) => part.results.flatMap((page) => pageWithin(page, scope)));
  const read = new Set(results.map(({ url }) => url));
  const reasons = new Map(parts.flatMap((part) => part.failed.map(({ url, reason }) => [url, reason])));
  const missing = (input.named ?? input.urls).filter((url) => !read.has(url));
  return { results, failed: missing.map((url) => ({ url, reason: reasons.get(url) ?? EXCLUDED })) };
}

/** The page, whose texts have no addresses outside of the rules; nothing for one of a host outside. */
function pageWithin(page: ReadPage, scope: PageScope | undefined): readonly ReadPage[] {
  if (scope?.rules === undefined) return [page];
  const { allows } = scope.rules;
  if (page.resolved_url !== undefined && !allows(page.resolved_url)) return [];
  return [{ ...page, title: filterAddresses(page.title, allows), content: filterAddresses(page.content, allows) }];
}

type CostContext = Pick<AttemptContext, 'costOf'>;

/** Sends the addresses in parts of the size that the port takes. */
async function readInParts(
  port: ExtractPort,
  call: ProviderCall<ExtractInput>,
  context: AttemptContext,
): Promise<readonly Part[]> {
  const { urls, format, maxCharacters } = call.input;
  const parts = partsOf(urls, port.maxUrls);
  const outcomes: (ExtractOutcome | UpstreamError)[] = [];

  async function readPart(at: number, slot: Slot | null): Promise<true> {
    const part = { model: call.model, urls: parts[at] ?? [], format };
    outcomes[at] = await context
      .ask((own) => port.extract(part, own), slot)
      .then((outcome) => boundPages(requireOutcome(outcome, 'pages'), maxCharacters), asUpstreamError);
    return true;
  }

  await runParts(parts.length, readPart, context);
  return parts.map((asked, at) => {
    // A part that was not begun: the time was over.
    const outcome = outcomes[at] ?? new UpstreamError('upstream_timeout', { phase: 'connect' });
    return isUpstreamError(outcome) ? failedPart(outcome, asked, context) : deliveredPart(outcome, asked, context);
  });
}

/** Pages as long as was asked for: of many parts, only this much is kept. */
function boundPages(outcome: ExtractOutcome, maxCharacters: number): ExtractOutcome {
  const pages = outcome.pages.filter(isObject).map((page) => ('failed' in page ? page : cutPage(page, maxCharacters)));
  return { ...outcome, pages };
}

function cutPage(page: ExtractedPage, maxCharacters: number): ExtractedPage {
  const { content, truncated } = page;
  const isCut = typeof content === 'string' && hasMoreCharacters(content.trim(), maxCharacters);
  return { ...page, content: boundText(content, maxCharacters), truncated: isCut || truncated === true };
}

/** A bug of an adapter is one of the whole call. */
function asUpstreamError(error: unknown): UpstreamError {
  if (isUpstreamError(error)) return error;
  throw error;
}

function failedPart(error: UpstreamError, urls: readonly string[], context: CostContext): Part {
  const reason: PageFailure = error.reason === 'upstream_timeout' ? 'page_timeout' : 'page_failed';
  const cost = reportedCost(error);
  const units = unitsOf(urls);
  const amount = context.costOf({ cost, isSold: mayBeBilled(error), units });
  return { results: [], failed: urls.map((url) => ({ url, reason })), error, cost, units, amount };
}

function deliveredPart(
  { pages, cost, upstreamRequestId }: ExtractOutcome,
  urls: readonly string[],
  context: CostContext,
): Part {
  const extracted = extractedPages(pages, urls);
  const isRead = extracted.results.length > 0;
  const amount = context.costOf({ cost, isSold: isRead, units: unitsOf(isRead ? extracted.results : urls) });
  return { ...extracted, cost, units: unitsOf(extracted.results), amount, upstreamRequestId };
}

function unitsOf({ length }: ArrayLike<unknown>): Units {
  return { pages: length };
}

/** The error of the first part where all parts failed; in any case with the cost of all parts. */
function nothingRead(parts: readonly Part[], failed: readonly UnreadPage[]): UpstreamError {
  const nothing = new UpstreamError('no_page_extracted', { phase: 'shape', status: 200, failed });
  const isDelivered = parts.some(({ error }) => error === undefined);
  return errorOfParts(isDelivered ? nothing : (parts[0]?.error ?? nothing), parts);
}

/** Sorts pages by the addresses that were asked for. Pages of other addresses are dropped; an address without a page has failed. */
function extractedPages(pages: ExtractOutcome['pages'], urls: readonly string[]): Extracted {
  const results: ReadPage[] = [];
  const failed: UnreadPage[] = [];
  const found = pagesByAddress(pages, urls);
  for (const url of urls) {
    const { page, resolvedUrl } = found.get(url) ?? {};
    if (page === undefined || 'failed' in page || !page.content || !hasWords(page.content))
      failed.push({ url, reason: reasonOf(page) });
    else {
      const { title, content, date, truncated = false } = page;
      const read = { url, title: pageTitle(title, url), content, date: dayOf(date), truncated };
      results.push(resolvedUrl === undefined ? read : { ...read, resolved_url: resolvedUrl });
    }
  }
  return { results, failed };
}

function reasonOf(page: ExtractedPage | FailedPage | undefined): PageFailure {
  if (page === undefined) return 'page_failed';
  if (!('failed' in page)) return 'page_empty';
  return PAGE_FAILURES.find((known) => known === page.failed) ?? 'page_failed';
}
