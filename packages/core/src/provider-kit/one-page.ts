import { isUpstreamError, type UpstreamError } from '../base/errors/upstream-error.js';
import { outcomeCost } from './compose-answer.js';
import type {
  CallContext,
  ExtractOutcome,
  ExtractPort,
  OutcomeCost,
  PageFailure,
  ProviderExtract,
} from './provider.js';

/** The address behind a redirect, where a vendor names another than was asked for. */
export function otherUrl(read: string | null | undefined, asked: string): { readonly otherUrl?: string } {
  return read && read !== asked ? { otherUrl: read } : {};
}

interface OnePage {
  readonly read: (url: string, context: CallContext, call: ProviderExtract) => Promise<ExtractOutcome>;
  /** The failure of the page; `undefined` for an error of the whole call. */
  readonly failureOf: (error: UpstreamError) => PageFailure | undefined;
  /** The cost of a page that failed. Default: free. */
  readonly costOf?: (error: UpstreamError) => OutcomeCost;
}

/** The port of a vendor that takes one address per request, and reports a page that it cannot read as an error. */
export function onePage({ read, failureOf, costOf = () => outcomeCost(0) }: OnePage): Omit<ExtractPort, 'models'> {
  const extract: ExtractPort['extract'] = async (call, context) => {
    const [url = ''] = call.urls;
    try {
      return await read(url, context, call);
    } catch (error) {
      const failed = isUpstreamError(error) ? failureOf(error) : undefined;
      if (!isUpstreamError(error) || failed === undefined) throw error;
      return { pages: [{ url, failed }], cost: costOf(error) };
    }
  };

  return { maxUrls: 1, extract };
}
