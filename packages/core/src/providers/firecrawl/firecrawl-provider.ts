import { z } from 'zod';
import { atCreditPrice, creditPrice } from '../../provider-kit/credit-price.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { readModels } from '../../provider-kit/read-models.js';
import { wholeNumber } from '../../provider-kit/setting-schemas.js';
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

const firecrawlSettings = z.strictObject({
  ...commonSettings('https://api.firecrawl.dev', readModels('firecrawl', rows)),
  usdPerCredit: creditPrice(LIST_PRICE_OF_CREDIT),
  // Up to 20 pages, no cost that is reported is more than twenty times the listed price of the call, above which it would not be charged.
  maxPdfPages: wholeNumber(1, 20).default(10),
});

/**
 * Firecrawl (firecrawl.dev): searches, and pages as Markdown. It allows 500 searches and 500 pages a minute on the plan of 100,000 credits, at the time of
 * writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function firecrawl(settings: FirecrawlSettings): Provider {
  const { models, searchModels, extractModels, ...parsed } = parseProviderSettings(
    firecrawlSettings,
    settings,
    'firecrawl',
  );
  const { common, connection, options } = parsed;
  const price = { listed: LIST_PRICE_OF_CREDIT, paid: options.usdPerCredit };
  return {
    id: 'firecrawl',
    name: 'Firecrawl',
    models,
    ...common,
    search: { models: atCreditPrice(searchModels, price), search: firecrawlSearchPort(connection, options) },
    extract: {
      models: atCreditPrice(extractModels, price),
      maxUrls: 1,
      extract: firecrawlExtractPort(connection, options),
    },
  };
}
