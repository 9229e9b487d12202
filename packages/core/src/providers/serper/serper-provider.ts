import { z } from 'zod';
import { atCreditPrice, creditCost, creditPrice } from '../../provider-kit/credit-price.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { googleDates } from '../../provider-kit/google-dates.js';
import { jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import type { Connection, Provider, ProviderSettings, SearchPort } from '../../provider-kit/provider.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import rows from './models.json' with { type: 'json' };

// Serper publishes no reference. Facts come from public clients (types of jina-ai/reader@f289e5d, BerriAI/litellm) and api-evangelist/serper@0847b08
// (2026-07-15), read on 2026-11-26.

/** USD per credit in the smallest pack. */
const LIST_PRICE_OF_CREDIT = '0.001';

const SERPER: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // With status 400 in what clients recorded (2026), with 429 by api-evangelist.
  errors: [{ status: [400, 429], message: /not enough credits/i, reason: 'upstream_quota_exhausted' }],
};

const found = optional.list(z.object(textFields('title', 'link', 'snippet', 'date')));
const reply = z.object({
  // Repeats the request in every reply: the proof that a reply without results is Serper's.
  searchParameters: z.object({}),
  organic: found,
  news: found,
  credits: optional.number,
});

/** Asks `POST /search` for a page of Google, or `/news` for one of its news. More than ten results would cost two credits, and Google has shown no more on a page since 2025-09. */
function serperSearch(connection: Connection, usdPerCredit: string): SearchPort['search'] {
  const endpoint = (path: string) => jsonEndpoint(connection, { ...SERPER, path, reply, completeness: 'valid JSON' });
  const [askAll, askNews] = [endpoint('/search'), endpoint('/news')];
  return async ({ query, search }, context) => {
    const ask = search?.topic === 'news' ? askNews : askAll;
    const filters = search && { tbs: googleDates(search), gl: search.country?.toLowerCase() };
    const { body } = await ask({ q: query, num: 10, ...filters }, context);
    const results = [...body.organic, ...body.news].map(({ link, title, snippet, date }) => ({
      url: link,
      title,
      snippet,
      date,
    }));
    return { results, cost: creditCost(body.credits, usdPerCredit) };
  };
}

/** The settings of `serper()`. */
export interface SerperSettings extends ProviderSettings {
  /**
   * The price that the account pays for a credit, in USD as a decimal string. Serper reports only credits; the price turns credits into the cost of a
   * search and the listed price. Default `"0.001"`, the pack of 50,000 credits for 50 dollars; larger packs sell credits at 0.0003 to 0.00075 (2026-08-13).
   */
  readonly usdPerCredit?: string | undefined;
}

/**
 * Serper (serper.dev): Google Search as JSON. It allows 50 requests a second with the smallest pack, at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const serper: (settings: SerperSettings) => Provider = defineProvider({
  id: 'serper',
  name: 'Serper',
  baseUrl: 'https://google.serper.dev',
  models: rows,
  settings: { usdPerCredit: creditPrice(LIST_PRICE_OF_CREDIT) },
  adjust: (model, { usdPerCredit }) => atCreditPrice(model, { listed: LIST_PRICE_OF_CREDIT, paid: usdPerCredit }),
  ports: (connection, { usdPerCredit }) => ({ search: serperSearch(connection, usdPerCredit) }),
});
