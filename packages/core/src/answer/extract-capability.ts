import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import { hasMoreCharacters } from '../base/options/has-more-characters.js';
import { askedFor, type Units } from '../catalog/units.js';
import {
  type CallContext,
  type ExtractedPage,
  type ExtractOutcome,
  type ExtractPort,
  type FailedPage,
  PAGE_FAILURES,
  type PageFailure,
} from '../provider-kit/provider.js';
import { boundText, dayOf, pageTitle } from '../text/page-fields.js';
import { mayBeBilled, costOf as reportedCost } from './attempt-loss.js';
import { type Capability, isObject, type ProviderCall, requireOutcome } from './capability.js';
import { pagesByAddress } from './pages-by-address.js';
import { costOfParts, errorOfParts, type PaidPart, partsOf, runParts } from './parts.js';

/** What is read. */
export interface ExtractInput {
  /** As the URL standard writes them, each once. */
  readonly urls: readonly string[];
  readonly format: 'markdown' | 'text';
  /** Of each page. */
  readonly maxCharacters: number;
}

/** A page as callers see it. */
export interface ReadPage {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly date: string | null;
  /** Whether the text is longer than was asked for, or the provider read a part of the page. */
  readonly truncated: boolean;
  /** The address of the page, where the provider names another one than was asked for, such as after a redirect. */
  readonly resolved_url?: string | undefined;
}

/** An address whose page was not read, as callers see it. */
export interface UnreadPage {
  readonly url: string;
  readonly reason: PageFailure;
}

/** Both in the order of the addresses. */
export interface Extracted {
  readonly results: readonly ReadPage[];
  readonly failed: readonly UnreadPage[];
}

/** `POST /extract`. A page that cannot be read is named; only where none can be read, the call fails. */
export const extractCapability: Capability<ExtractInput, Extracted> = {
  category: 'extract',
  idPrefix: 'ext',
  async ask({ id, extract: port }, call, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no extract`);
    const parts = await readInParts(port, call, context);
    const results = parts.flatMap((part) => part.results);
    const failed = parts.flatMap((part) => part.failed);
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
  unsupportedField: () => undefined,
  askedUnits({ urls }) {
    const asked = askedFor(unitsOf(urls));
    return () => asked;
  },
  billedUnits: ({ results }) => ({ pages: results.length }),
  present: ({ results, failed }) => ({ fields: { results, failed }, usage: { pages: results.length } }),
  kept: null,
  isShared: true,
};

/** What came of some of the addresses. */
interface Part extends Extracted, PaidPart {
  /** Why the part failed as a whole. */
  readonly error?: UpstreamError | undefined;
  readonly upstreamRequestId?: string | null | undefined;
}

/** Sends the addresses in parts of the size that the port takes. */
async function readInParts(
  port: ExtractPort,
  call: ProviderCall<ExtractInput>,
  context: CallContext,
): Promise<readonly Part[]> {
  const { urls, format, maxCharacters } = call.input;
  const parts = partsOf(urls, port.maxUrls);
  const outcomes: (ExtractOutcome | UpstreamError)[] = [];

  async function readPart(at: number): Promise<true> {
    const part = { model: call.model, urls: parts[at] ?? [], format };
    outcomes[at] = await port
      .extract(part, context)
      .then((outcome) => boundPages(requireOutcome(outcome, 'pages'), maxCharacters), asUpstreamError);
    return true;
  }

  await runParts(parts.length, readPart, { enterSlot: call.enterSlot, context });
  return parts.map((asked, at) => {
    // A part that was not begun: the time was over.
    const outcome = outcomes[at] ?? new UpstreamError('upstream_timeout', { phase: 'connect' });
    return isUpstreamError(outcome) ? failedPart(outcome, asked, call) : deliveredPart(outcome, asked, call);
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

function failedPart(error: UpstreamError, urls: readonly string[], { costOf }: ProviderCall<ExtractInput>): Part {
  const reason: PageFailure = error.reason === 'upstream_timeout' ? 'page_timeout' : 'page_failed';
  const cost = reportedCost(error);
  const units = unitsOf(urls);
  const amount = costOf({ cost, isSold: mayBeBilled(error), units });
  return { results: [], failed: urls.map((url) => ({ url, reason })), error, cost, units, amount };
}

function deliveredPart(
  { pages, cost, upstreamRequestId }: ExtractOutcome,
  urls: readonly string[],
  { costOf }: ProviderCall<ExtractInput>,
): Part {
  const extracted = extractedPages(pages, urls);
  const isRead = extracted.results.length > 0;
  const amount = costOf({ cost, isSold: isRead, units: unitsOf(isRead ? extracted.results : urls) });
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
    if (page === undefined || 'failed' in page || !page.content) failed.push({ url, reason: reasonOf(page) });
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
