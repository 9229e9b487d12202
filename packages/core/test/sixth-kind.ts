import { z } from 'zod';
import { askedFor } from '../src/catalog/units.js';
import type { ModelCallOptions } from '../src/kinds/call-options.js';
import { modelField, queryField, tagField } from '../src/kinds/fields.js';
import { type Kind, requireOutcome } from '../src/kinds/kind.js';
import { charged, head, wholeNumber } from '../src/kinds/reply-schemas.js';
import type { ModelRow, OutcomeCost, Provider } from '../src/provider-kit/index.js';

/** The types know five kinds: the name of the sixth goes by one of theirs. */
const NEWS = 'news' as 'search';

/** The port of a provider. */
export interface NewsProvider extends Provider {
  readonly news: {
    readonly models: readonly ModelRow[];
    news(call: { query: string }): Promise<{ readonly headlines: readonly string[]; readonly cost: OutcomeCost }>;
  };
}

/** The function in process. */
export interface NewsCalls {
  news(options: ModelCallOptions & { readonly model?: string; readonly query: string }): Promise<object>;
}

const headlines = z.array(z.string()).max(10);

function fields(maxQueryCharacters: number) {
  return z.object({ model: modelField('news', 'stub/news'), query: queryField(maxQueryCharacters), tag: tagField() });
}

/** `POST /news`: headlines for a query. */
export const newsKind: Kind<z.output<ReturnType<typeof fields>>, { query: string }, readonly string[], object> = {
  category: NEWS,
  port: NEWS,
  paths: ['/api/v1/news'],
  idPrefix: 'nws',
  operation: { operationId: 'news', summary: 'Find headlines', description: 'Finds headlines for a query.' },
  request: {
    hasSearch: false,
    isLong: false,
    isNested: false,
    fields,
    foreignNames: { replacements: {} },
    inputOf: ({ query }) => ({ query }),
  },
  reply: {
    name: 'News',
    schemas: () => ({
      News: z.strictObject({ ...head, headlines, usage: z.strictObject({ headlines: wholeNumber, cost: charged }) }),
    }),
    example: {
      id: 'nws_01M7YFX2222TA0797FDHDYZR0C',
      model: 'stub/news',
      provider: 'stub',
      headlines: ['Zephyr Bridge opens'],
      usage: { headlines: 1, cost: 0.002 },
    },
  },
  hasFallbacks: true,
  mayFailByInput: false,
  smallest: {},
  async ask(provider, { input }) {
    const outcome = await (provider as NewsProvider).news.news(input);
    const { cost, headlines: value } = requireOutcome(outcome, 'headlines');
    return { value, cost };
  },
  unsupportedField: () => undefined,
  askedUnits: () => () => askedFor({}),
  billedUnits: (_value, likely) => likely,
  present: (value) => ({ fields: { headlines: value }, usage: { headlines: value.length } }),
  kept: headlines,
  isShared: true,
};
