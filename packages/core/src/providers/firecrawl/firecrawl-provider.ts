import { atCreditPrice, creditPrice } from '../../provider-kit/credit-price.js';
import { defineProvider, wholeNumber } from '../../provider-kit/define-provider.js';
import type { Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { firecrawlExtractPort, firecrawlSearchPort } from './firecrawl-ports.js';
import rows from './models.json' with { type: 'json' };

/** USD on the monthly plan of 100,000 credits for 99 dollars. */
const LIST_PRICE_OF_CREDIT = '0.00099';

/** The settings of `firecrawl()`. */
export interface FirecrawlSettings extends ProviderSettings {
  /**
   * The price that the account pays for a credit, in USD as a decimal string. Firecrawl reports only credits; the price turns credits into the cost of a
   * call and the listed prices. Default `"0.00099"`, the monthly plan of 100,000 credits; smaller plans sell credits at 0.004 to 0.005 (2026-08-21).
   */
  readonly usdPerCredit?: string | undefined;
  /** How many pages of a PDF document are read, 1 to 20. Each costs a credit, and callers pay for it. Default 10. */
  readonly maxPdfPages?: number | undefined;
}

/**
 * Firecrawl (firecrawl.dev): searches, and pages as Markdown. It allows 500 searches and 500 pages a minute on the plan of 100,000 credits, at the time of
 * writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const firecrawl: (settings: FirecrawlSettings) => Provider = defineProvider({
  id: 'firecrawl',
  name: 'Firecrawl',
  baseUrl: 'https://api.firecrawl.dev',
  models: rows,
  settings: {
    usdPerCredit: creditPrice(LIST_PRICE_OF_CREDIT),
    // Up to 20 pages, no cost that is reported is more than twenty times the listed price of the call, above which it would not be charged.
    maxPdfPages: wholeNumber(1, 20).default(10),
  },
  adjust: (model, { usdPerCredit }) => atCreditPrice(model, { listed: LIST_PRICE_OF_CREDIT, paid: usdPerCredit }),
  ports: (connection, options) => ({
    search: firecrawlSearchPort(connection, options),
    extract: firecrawlExtractPort(connection, options),
  }),
});
