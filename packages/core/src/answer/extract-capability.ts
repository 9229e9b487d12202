import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
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
    const { input } = call;
    if (port === undefined) throw new Error(`the provider ${id} has no extract`);
    const { pages, cost, upstreamRequestId } = await readInParts(port, call, context);
    const value = extractedPages(pages, input);
    if (value.results.length === 0) throw nothingRead(value.failed, cost);
    return { value, cost, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  unsupportedField: () => undefined,
  askedUnits: ({ urls }) => ({ results: 0, pages: urls.length }),
  billedUnits: ({ results }) => ({ results: 0, pages: results.length }),
  present: ({ results, failed }) => ({ fields: { results, failed }, usage: { pages: results.length } }),
  kept: null,
};

/**
 * Sends the addresses in parts of the size that the port takes. The attempt has one slot at the provider; further parts at once take slots of their own, as
 * calls do, and where none is free the parts go one after another.
 *
 * @throws UpstreamError of the first part, where all parts failed.
 */
async function readInParts(
  port: ExtractPort,
  { model, input, enterSlot }: ProviderCall<ExtractInput>,
  context: CallContext,
): Promise<ExtractOutcome> {
  const { urls, format, maxCharacters } = input;
  const size = Number.isInteger(port.maxUrls) && port.maxUrls > 0 ? port.maxUrls : 1;
  const parts = Array.from({ length: Math.ceil(urls.length / size) }, (_, at) =>
    urls.slice(at * size, (at + 1) * size),
  );
  const outcomes: (ExtractOutcome | UpstreamError)[] = [];
  let next = 0;

  async function readPart(at: number): Promise<void> {
    const call = { model, urls: parts[at] ?? [], format };
    outcomes[at] = await port
      .extract(call, context)
      .then((outcome) => boundPages(requireOutcome(outcome, 'pages'), maxCharacters), asUpstreamError);
  }

  async function readOthers(isFirst: boolean): Promise<void> {
    while (next < parts.length && !context.signal.aborted) {
      const slot = enterSlot();
      if (slot === null && !isFirst) return;
      await readPart(next++).finally(() => slot?.free());
    }
  }

  const first = readPart(next++).then(() => readOthers(true));
  const others = Array.from({ length: MAX_PARTS_AT_ONCE - 1 }, () => readOthers(false));
  await Promise.all([first, ...others]);
  return joined(outcomes, parts);
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

function joined(outcomes: readonly (ExtractOutcome | UpstreamError)[], parts: readonly string[][]): ExtractOutcome {
  const cost = sumOf(outcomes.map(costOf));
  const [first] = outcomes;
  if (first instanceof UpstreamError && outcomes.every((outcome) => outcome instanceof UpstreamError)) {
    throw withCost(first, cost);
  }
  const pages = parts.flatMap((urls, at): ExtractOutcome['pages'] => {
    const outcome = outcomes[at];
    if (outcome !== undefined && !(outcome instanceof UpstreamError)) return outcome.pages;
    // A part that was not begun: the time was over.
    const failed = outcome === undefined ? 'page_timeout' : failureOf(outcome);
    return urls.map((url): FailedPage => ({ url, failed }));
  });
  const ids = outcomes.map((outcome) => (outcome instanceof UpstreamError ? null : outcome.upstreamRequestId));
  return { pages, cost, upstreamRequestId: ids.find((id) => typeof id === 'string') };
}

function costOf(outcome: ExtractOutcome | UpstreamError): OutcomeCost {
  if (!(outcome instanceof UpstreamError)) return outcome.cost;
  // A failed part is free unless its provider says otherwise.
  return { reported: outcome.cost ?? 0n, usage: outcome.usage ?? undefined };
}

/** The costs of all parts: reported where each part is, and the usage of all. */
function sumOf(costs: readonly OutcomeCost[]): OutcomeCost {
  const reported = costs.every((cost) => cost.reported !== undefined)
    ? costs.reduce((sum, cost) => sum + (cost.reported ?? 0n), 0n)
    : undefined;
  const usage: Record<string, number | bigint> = {};
  for (const cost of costs) {
    for (const [name, used] of Object.entries(cost.usage ?? {}) as [string, number | bigint | undefined][]) {
      const before = usage[name];
      if (typeof used === 'bigint') usage[name] = (typeof before === 'bigint' ? before : 0n) + used;
      else if (typeof used === 'number') usage[name] = (typeof before === 'number' ? before : 0) + used;
    }
  }
  return { reported, usage: Object.keys(usage).length === 0 ? undefined : usage };
}

function withCost(error: UpstreamError, { reported, usage }: OutcomeCost): UpstreamError {
  if (reported === undefined || reported === 0n) return error;
  const { reason, phase, status, retryAfterMs, detail, cause } = error;
  return new UpstreamError(reason, { phase, status, retryAfterMs, detail, cause, cost: reported, usage });
}

function failureOf({ reason }: UpstreamError): PageFailure {
  return reason === 'upstream_timeout' ? 'page_timeout' : 'page_failed';
}

function nothingRead(failed: readonly UnreadPage[], { reported, usage }: OutcomeCost): UpstreamError {
  return new UpstreamError('no_page_extracted', { phase: 'shape', status: 200, cost: reported, usage, failed });
}

/** Sorts pages by the addresses that were asked for. Pages of other addresses are dropped; an address without a page has failed. */
function extractedPages(pages: ExtractOutcome['pages'], { urls, maxCharacters }: ExtractInput): Extracted {
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
