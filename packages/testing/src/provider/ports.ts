import { AssertionError } from 'node:assert/strict';
import type {
  AnswerOutcome,
  CallContext,
  ExtractOutcome,
  ModelRow,
  Provider,
  SearchOutcome,
} from '@searchgate/core/provider-kit';
import type { ExtractFixture, SearchFixture } from './provider-fixture.js';

/** What a port returns. */
export type Outcome = AnswerOutcome | SearchOutcome | ExtractOutcome;

/** The ports that a provider may have. */
export const PORT_KINDS = ['answer', 'search', 'extract'] as const;
export type PortKind = (typeof PORT_KINDS)[number];

/** Easy to find outside of a request body, and changes its meaning in a URL without encoding. */
export const QUERY = 'When did the “Zephyr Bridge” open? /../?key=1&x=2#end';
/** Addresses of pages with the same properties. */
export const ADDRESSES = [1, 2].map((page) => `https://example.org/Zephyr/%2F..%3Fx?key=1&page=${page}#end`);

/** The models of a port; none where the provider lacks it. */
export function modelsOf(provider: Provider, kind: PortKind): readonly ModelRow[] {
  const port = provider[kind];
  if (port === undefined) return [];
  return 'models' in port ? port.models : provider.models;
}

/** The port that a model belongs to. */
export function kindOf(provider: Provider, slug: string): PortKind {
  const kind = PORT_KINDS.find((each) => modelsOf(provider, each).some((model) => model.slug === slug));
  if (kind === undefined) throw new AssertionError({ message: `${provider.id} has no model ${slug}` });
  return kind;
}

/** The row of a model that a fixture names. */
export function modelOf(provider: Provider, slug: string): ModelRow {
  return modelsOf(provider, kindOf(provider, slug)).find((model) => model.slug === slug) as ModelRow;
}

/** A call of a port by the model's slug, such as a fixture; fields that are not given are as usual. */
export interface Asked {
  readonly model: string;
  readonly call?: SearchFixture['call'] | ExtractFixture['call'];
  /** Names the addresses where the call does not. */
  readonly outcome?: SearchFixture['outcome'] | ExtractFixture['outcome'] | undefined;
}

/** Calls the port that a model belongs to. */
export function callPort(provider: Provider, asked: Asked, context: CallContext): Promise<Outcome> | undefined {
  const model = modelOf(provider, asked.model);
  switch (kindOf(provider, asked.model)) {
    case 'answer':
      return provider.answer?.answer({ model, query: QUERY, ...asked.call }, context);
    case 'search': {
      const maxResults = Math.min(10, model.maxResults ?? 10);
      return provider.search?.search(
        { model, query: QUERY, maxResults, includeContent: false, ...asked.call },
        context,
      );
    }
    case 'extract': {
      const urls = addressesOf(asked.outcome) ?? ADDRESSES.slice(0, provider.extract?.maxUrls);
      return provider.extract?.extract({ model, urls, format: 'markdown', ...asked.call }, context);
    }
  }
}

function addressesOf(outcome: Asked['outcome']): string[] | undefined {
  return outcome !== undefined && 'pages' in outcome ? [...new Set(outcome.pages.map(({ url }) => url))] : undefined;
}
