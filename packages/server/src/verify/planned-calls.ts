import { CATEGORIES, type Gateway, type SearchOptions } from '@searchgate/core';
import { type Provider, parseOptions } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { z } from 'zod';
import { createProviders, modelsOf, type ProvidersConfig, VENDORS } from '../create-providers.js';
import type { Environment } from '../environment.js';
import { problem } from '../problems.js';

/** A model to verify, with the id of its provider. */
export type Target = ReturnType<typeof targetsOf>[number];

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

/** Stands for the documents of `local/docs`, which no vendor serves: the file may have settings for them. */
const OWN = localDocs({ documents: [{ source: 'verify', url: 'https://example.org/', markdown: '# Verify' }] });

const variableOf = (id: string) => `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/** The providers that a start would make, those of vendors, and the ids of those that have a key. @throws ConfigurationError as for a start, and for no vendor. */
export function configuredProviders(environment: Environment, config: ProvidersConfig) {
  const { providers: configs = {} } = config;
  const providers = createProviders(environment, config, [OWN]);
  const enabling = 'a key such as EXA_API_KEY in the environment, or a provider in the file of SEARCHGATE_CONFIG';
  if (providers.length === 1) throw problem('providers', 'none that is enabled', enabling);
  const isInFile = (id: string) => Object.keys(configs[id] ?? {}).some((field) => field.startsWith('apiKey'));
  const isKeyed = (id: string) => isInFile(id) || ['', 'S'].some((end) => environment[variableOf(id) + end]);
  const vendors = providers.filter(({ id }) => id !== OWN.id);
  return { providers, vendors, keyed: vendors.map(({ id }) => id).filter(isKeyed) };
}

/** The models of providers that the gateway can call, in their order. */
export function targetsOf(providers: readonly Provider[], gateway: Pick<Gateway, 'models'>) {
  const entries = new Map(gateway.models({ callable: true }).map((entry) => [entry.id, entry]));
  return providers.flatMap((provider) =>
    modelsOf(provider).flatMap((row) => {
      const entry = entries.get(row.slug);
      return entry === undefined ? [] : [{ provider: provider.id, kind: entry.category, row, entry }];
    }),
  );
}

/** The targets of the wanted providers, models and kinds. @throws ConfigurationError for a name that is none of them. */
export function chosenTargets(
  targets: readonly Target[],
  { only, kinds }: Readonly<Record<'only' | 'kinds', readonly string[]>>,
) {
  parseOptions(z.array(z.enum(CATEGORIES, `one of ${CATEGORIES.join(', ')}`)), kinds, '--kinds');
  const names = [...new Set(targets.flatMap(({ provider, row }) => [provider, row.slug]))];
  for (const name of only) {
    const [id = ''] = name.split('/');
    if (Object.hasOwn(VENDORS, id) && !names.includes(id))
      throw problem('--only', `${name}, which is not enabled`, `${variableOf(id)} in the environment`);
  }
  parseOptions(z.array(z.enum(names, 'a provider, or a model of one')), only, '--only');
  const isChosen = (list: readonly string[], ...own: string[]) =>
    list.length === 0 || own.some((each) => list.includes(each));
  const chosen = targets.filter(
    ({ provider, row, kind }) => isChosen(only, provider, row.slug) && isChosen(kinds, kind),
  );
  if (chosen.length === 0) throw problem('--kinds', kinds.join(', '), 'kinds that the providers serve');
  return chosen;
}

type Wanted = Readonly<Record<'stream' | 'options', boolean>> & { readonly nowMs: number };

/** The calls provider by provider. @param keyed providers that are called with a wrong key too: at last, since it may lock the address out. */
export function callsOf(targets: readonly Target[], keyed: readonly string[], wanted: Wanted): PlannedCall[] {
  return targets.flatMap((target, at) => {
    const isLast = targets[at + 1]?.provider !== target.provider && keyed.includes(target.provider);
    return [...callsOfModel(target, wanted), ...(isLast ? [{ ...target, variant: WRONG_KEY }] : [])];
  });
}

/** The smallest call of a model, and those of streams and search options where they are wanted. */
function callsOfModel(target: Target, { stream, options, nowMs }: Wanted): PlannedCall[] {
  const { row, entry } = target;
  const isSized = entry.features.includes('dimensions_param');
  const dimensions = isSized ? Math.min(...(row.vectorLengths ?? [row.leastDimensions ?? 1])) : undefined;
  const streamed = stream && entry.features.includes('streaming') ? [{ ...target, variant: 'stream' }] : [];
  const filtered = (options ? (entry.options ?? []) : []).map((name) => {
    const [usual, values = []] = [valuesAt(nowMs)[name], row.options?.[name]?.values];
    const value = values.length === 0 || values.includes(String(usual)) ? usual : values[0];
    return { ...target, variant: name, search: { [name]: value } };
  });
  return [{ ...target, variant: 'plain', dimensions }, ...streamed, ...filtered];
}

/** Values that leave pages to be found. */
function valuesAt(nowMs: number): Required<SearchOptions> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const [includeDomains, excludeDomains] = [['wikipedia.org'], ['wikipedia.org']];
  const dates = { publishedAfter: day(nowMs - 365 * DAY_MS), publishedBefore: day(nowMs) };
  const words = { freshness: 'year', country: 'US', language: 'en', topic: 'news' } as const;
  return { includeDomains, excludeDomains, ...dates, ...words };
}

type Common = Pick<Parameters<Gateway['answer']>[0], 'apiKey' | 'signal'>;

/** Makes a call. @returns how many parts of a stream came; `null` for a whole answer. @throws RequestError */
export async function ask(gateway: Gateway, call: PlannedCall, common: Common): Promise<number | null> {
  const { kind, row, search, dimensions } = call;
  const asked = { ...common, model: row.slug };
  if (call.variant === 'stream') {
    let parts = 0;
    for await (const event of gateway.answerStream({ ...asked, query: QUESTION })) {
      if (event.type === 'delta') parts += 1;
      if (event.type === 'error') throw event.error;
    }
    return parts;
  }
  if (kind === 'answer') await gateway.answer({ ...asked, query: QUESTION, search });
  else if (kind === 'search') await gateway.search({ ...asked, query: QUESTION, maxResults: 1, search });
  else if (kind === 'extract') await gateway.extract({ ...asked, urls: ['https://example.com/'] });
  else if (kind === 'rerank') await gateway.rerank({ ...asked, query: QUESTION, documents: DOCUMENTS });
  else await gateway.embed({ ...asked, input: TEXTS, dimensions });
  return null;
}
