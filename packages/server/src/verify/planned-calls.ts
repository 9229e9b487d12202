import type { Category, Gateway, ModelEntry, SearchOptions } from '@searchgate/core';
import type { ModelRow, Provider } from '@searchgate/core/provider-kit';

/** A model to verify. */
export interface Target {
  /** The id of its provider. */
  readonly provider: string;
  readonly kind: Category;
  readonly row: ModelRow;
  readonly entry: ModelEntry;
}

/** One call of a model. */
export interface PlannedCall extends Target {
  /** `plain`, `stream`, `wrong key`, or the option that is tried. */
  readonly variant: string;
  readonly search?: SearchOptions | undefined;
  /** The length of vectors; `undefined` for the model's own. */
  readonly dimensions?: number | undefined;
}

export const WRONG_KEY = 'wrong key';

const QUESTION = 'What is the capital of France?';
/** The second document has the answer, so that an order that was not changed is noticed. */
const DOCUMENTS = ['Bananas are yellow.', 'Paris is the capital of France.'];
/** Where the best document stands. */
export const BEST_DOCUMENT = 1;
export const TEXTS = ['Paris', 'Rome'];
const DAY_MS = 86_400_000;

/** The models of providers that the gateway can call, in their order. */
export function targetsOf(providers: readonly Provider[], gateway: Pick<Gateway, 'models'>): Target[] {
  const entries = new Map(gateway.models({ callable: true }).map((entry) => [entry.id, entry]));
  return providers.flatMap(({ id, models, search, extract, rerank, embed }) => {
    const rows = [models, ...[search, extract, rerank, embed].map((port) => port?.models ?? [])].flat();
    return rows.flatMap((row) => {
      const entry = entries.get(row.slug);
      return entry === undefined ? [] : [{ provider: id, kind: entry.category, row, entry }];
    });
  });
}

/** The calls of a model: the smallest one, and those of streams and search options where they are wanted. */
export function callsOf(
  target: Target,
  { stream, options, nowMs }: { readonly stream: boolean; readonly options: boolean; readonly nowMs: number },
): PlannedCall[] {
  const { kind, row, entry } = target;
  const { vectorLengths, leastDimensions } = row;
  const isSized = entry.features.includes('dimensions_param');
  const dimensions = isSized ? Math.min(...(vectorLengths ?? [leastDimensions ?? 1])) : undefined;
  const plain = { ...target, variant: 'plain', ...(kind === 'embedding' && { dimensions }) };
  const streamed = stream && entry.features.includes('streaming') ? [{ ...target, variant: 'stream' }] : [];
  const filtered = (options ? (entry.options ?? []) : []).map((name) => {
    const usual = valuesAt(nowMs)[name];
    const values = row.options?.[name]?.values ?? [];
    const value = values.length === 0 || values.includes(String(usual)) ? usual : values[0];
    return { ...target, variant: name, search: { [name]: value } };
  });
  return [plain, ...streamed, ...filtered];
}

/** Values that leave pages to be found. */
function valuesAt(nowMs: number): Required<SearchOptions> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return {
    includeDomains: ['wikipedia.org'],
    excludeDomains: ['wikipedia.org'],
    freshness: 'year',
    publishedAfter: day(nowMs - 365 * DAY_MS),
    publishedBefore: day(nowMs),
    country: 'US',
    language: 'en',
    topic: 'news',
  };
}

type Common = Pick<Parameters<Gateway['answer']>[0], 'apiKey' | 'signal'>;

/** Makes a call. @returns how many parts of a stream came; `null` for a whole answer. @throws RequestError */
export async function ask(gateway: Gateway, call: PlannedCall, common: Common): Promise<number | null> {
  const { kind, row, search, dimensions } = call;
  const asked = { ...common, model: row.slug };
  if (call.variant === 'stream') return askForStream(gateway, asked);
  if (kind === 'answer') await gateway.answer({ ...asked, query: QUESTION, search });
  else if (kind === 'search') await gateway.search({ ...asked, query: QUESTION, maxResults: 1, search });
  else if (kind === 'extract') await gateway.extract({ ...asked, urls: ['https://example.com/'] });
  else if (kind === 'rerank') await gateway.rerank({ ...asked, query: QUESTION, documents: DOCUMENTS });
  else await gateway.embed({ ...asked, input: TEXTS, dimensions });
  return null;
}

async function askForStream(gateway: Gateway, asked: Common & { readonly model: string }): Promise<number> {
  let parts = 0;
  for await (const event of gateway.answerStream({ ...asked, query: QUESTION })) {
    if (event.type === 'delta') parts += 1;
    if (event.type === 'error') throw event.error;
  }
  return parts;
}
