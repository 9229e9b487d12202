import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import type { Units } from '../catalog/pricing.js';
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
  /** Whether the text is longer than was asked for. */
  readonly truncated: boolean;
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

/** Most calls to a provider at once, of one attempt. */
const MAX_PARTS_AT_ONCE = 5;

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
    const cost = chargedCost(parts.filter(({ error }) => error === undefined));
    return { value: { results, failed }, cost, losses, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  unsupportedField: () => undefined,
  askedUnits: ({ urls }) => ({ results: 0, pages: urls.length }),
  billedUnits: ({ results }) => ({ results: 0, pages: results.length }),
  present: ({ results, failed }) => ({ fields: { results, failed }, usage: { pages: results.length } }),
  kept: null,
};

/** What came of some of the addresses. */
interface Part extends Extracted {
  /** Why the part failed as a whole. */
  readonly error?: UpstreamError | undefined;
  readonly cost: OutcomeCost;
  /** The reported cost; else the list price of the pages that came, or may have been read in vain. */
  readonly amount: NanoUsd;
  readonly upstreamRequestId?: string | null | undefined;
}

/**
 * Sends the addresses in parts of the size that the port takes. The attempt has one slot at the provider; further parts at once take slots of their own, as
 * calls do, and where none is free the parts go one after another.
 */
async function readInParts(
  port: ExtractPort,
  call: ProviderCall<ExtractInput>,
  context: CallContext,
): Promise<readonly Part[]> {
  const { urls, format, maxCharacters } = call.input;
  const size = Number.isInteger(port.maxUrls) && port.maxUrls > 0 ? port.maxUrls : 1;
  const parts = Array.from({ length: Math.ceil(urls.length / size) }, (_, at) =>
    urls.slice(at * size, (at + 1) * size),
  );
  const outcomes: (ExtractOutcome | UpstreamError)[] = [];
  let next = 0;

  async function readPart(at: number): Promise<void> {
    const part = { model: call.model, urls: parts[at] ?? [], format };
    outcomes[at] = await port
      .extract(part, context)
      .then((outcome) => boundPages(requireOutcome(outcome, 'pages'), maxCharacters), asUpstreamError);
  }

  async function readOthers(isFirst: boolean): Promise<void> {
    while (next < parts.length && !context.signal.aborted) {
      const slot = call.enterSlot();
      if (slot === null && !isFirst) return;
      await readPart(next++).finally(() => slot?.free());
    }
  }

  const first = readPart(next++).then(() => readOthers(true));
  const others = Array.from({ length: MAX_PARTS_AT_ONCE - 1 }, () => readOthers(false));
  await Promise.all([first, ...others]);
  return parts.map((asked, at) => {
    // A part that was not begun: the time was over.
    const outcome = outcomes[at] ?? new UpstreamError('upstream_timeout', { phase: 'connect' });
    return isUpstreamError(outcome) ? failedPart(outcome, asked, call) : deliveredPart(outcome, asked, call);
  });
}

/** Pages no longer than is needed to cut them: of many parts, only this much is kept. */
function boundPages(outcome: ExtractOutcome, maxCharacters: number): ExtractOutcome {
  const pages = outcome.pages
    .filter(isObject)
    .map((page) => ('failed' in page ? page : { ...page, content: boundText(page.content, maxCharacters + 1) }));
  return { ...outcome, pages };
}

/** A bug of an adapter is one of the whole call. */
function asUpstreamError(error: unknown): UpstreamError {
  if (isUpstreamError(error)) return error;
  throw error;
}

function failedPart(error: UpstreamError, urls: readonly string[], { costOf }: ProviderCall<ExtractInput>): Part {
  const reason: PageFailure = error.reason === 'upstream_timeout' ? 'page_timeout' : 'page_failed';
  const cost = reportedCost(error);
  const amount = costOf({ cost, isSold: mayBeBilled(error), units: unitsOf(urls) });
  return { results: [], failed: urls.map((url) => ({ url, reason })), error, cost, amount };
}

function deliveredPart(
  { pages, cost, upstreamRequestId }: ExtractOutcome,
  urls: readonly string[],
  { input, costOf }: ProviderCall<ExtractInput>,
): Part {
  const extracted = extractedPages(pages, urls, input.maxCharacters);
  const isRead = extracted.results.length > 0;
  const amount = costOf({ cost, isSold: isRead, units: unitsOf(isRead ? extracted.results : urls) });
  return { ...extracted, cost, amount, upstreamRequestId };
}

function unitsOf({ length }: ArrayLike<unknown>): Units {
  return { results: 0, pages: length };
}

/** The cost of all parts. Where some parts report less than others, each part has a cost of its own, so that no report is lost. */
function chargedCost(parts: readonly Part[]): OutcomeCost {
  const billed = parts.filter(({ results, amount }) => results.length > 0 || amount > 0n);
  const reports = new Set(billed.map(reportOf));
  return { reported: reports.has('cost') || reports.size > 1 ? sumOf(billed) : undefined, usage: usageOf(parts) };
}

function reportOf({ cost: { reported, usage } }: Part): 'cost' | 'usage' | 'nothing' {
  if (typeof reported === 'bigint') return 'cost';
  return usage == null ? 'nothing' : 'usage';
}

function sumOf(parts: readonly Part[]): NanoUsd {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}

function usageOf(parts: readonly Part[]): OutcomeCost['usage'] {
  const usage: Record<string, number | bigint> = {};
  for (const { cost } of parts) {
    for (const [name, used] of Object.entries(cost.usage ?? {}) as [string, number | bigint | undefined][]) {
      const before = usage[name];
      if (typeof used === 'bigint') usage[name] = (typeof before === 'bigint' ? before : 0n) + used;
      else if (typeof used === 'number') usage[name] = (typeof before === 'number' ? before : 0) + used;
    }
  }
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The error of the first part where all parts failed; in any case with the cost of all parts. */
function nothingRead(parts: readonly Part[], failed: readonly UnreadPage[]): UpstreamError {
  const [first] = parts;
  const paid = { cost: sumOf(parts), usage: usageOf(parts) };
  if (first?.error === undefined || parts.some(({ error }) => error === undefined))
    return new UpstreamError('no_page_extracted', { phase: 'shape', status: 200, failed, ...paid });
  const { reason, phase, status, retryAfterMs, detail, cause } = first.error;
  return new UpstreamError(reason, { phase, status, retryAfterMs, detail, cause, ...paid });
}

/** Sorts pages by the addresses that were asked for. Pages of other addresses are dropped; an address without a page has failed. */
function extractedPages(pages: ExtractOutcome['pages'], urls: readonly string[], maxCharacters: number): Extracted {
  const byUrl = new Map<string, ExtractedPage | FailedPage>();
  // Of two pages of an address the first one counts.
  for (const page of pages.toReversed()) byUrl.set(page.url, page);
  const results: ReadPage[] = [];
  const failed: UnreadPage[] = [];
  for (const url of urls) {
    const page = byUrl.get(url);
    const read = page === undefined || 'failed' in page ? undefined : readPage(page, url, maxCharacters);
    if (read !== undefined) results.push(read);
    else failed.push({ url, reason: reasonOf(page) });
  }
  return { results, failed };
}

function readPage({ title, content, date }: ExtractedPage, url: string, maxCharacters: number): ReadPage | undefined {
  const text = boundText(content, maxCharacters);
  if (text === '') return undefined;
  const truncated = typeof content === 'string' && content.trim().length > maxCharacters;
  return { url, title: pageTitle(title, url), content: text, date: dayOf(date), truncated };
}

function reasonOf(page: ExtractedPage | FailedPage | undefined): PageFailure {
  if (page === undefined) return 'page_failed';
  if (!('failed' in page)) return 'page_empty';
  return PAGE_FAILURES.find((known) => known === page.failed) ?? 'page_failed';
}
