import { AssertionError } from 'node:assert/strict';
import type {
  AnswerOutcome,
  CallContext,
  Embedding,
  ModelRow,
  PortName,
  Provider,
  Rank,
} from '@searchgate/core/provider-kit';
import type { AnswerFixture, OutcomeFixture, PortFixture } from './provider-fixture.js';

/** What a port returns. */
export type Outcome = AnswerOutcome | Exclude<OutcomeFixture, AnswerFixture>['outcome'];

/** The ports that a provider may have. */
export const PORT_KINDS = ['answer', 'search', 'extract', 'rerank', 'embed'] as const satisfies PortKind[];
export type PortKind = 'answer' | PortName;

/** Easy to find outside of a request body, and changes its meaning in a URL without encoding. */
export const QUERY = 'When did the “Zephyr Bridge” open? /../?key=1&x=2#end';
/** Addresses of pages with the same properties. */
const ADDRESSES = [1, 2].map((page) => `https://example.org/Zephyr/%2F..%3Fx?key=1&page=${page}#end`);
/** Documents to rerank, and texts to embed, with the same properties. */
const TEXTS = [1, 2].map((text) => `${text}. ${QUERY}`);

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
  readonly call?: Exclude<OutcomeFixture, AnswerFixture>['call'];
  /** Tells the addresses, and the number of texts, where the call does not. */
  readonly outcome?: Exclude<Outcome, AnswerOutcome> | undefined;
  /** The key of an organization. Default: that of the operator is sent. */
  readonly apiKey?: string | undefined;
}

/** The texts that a call by the slug alone sends to a provider. */
export function textsAsked(provider: Provider, slug: string): readonly string[] {
  const { extract, embed } = provider;
  return {
    answer: [QUERY],
    search: [QUERY],
    extract: ADDRESSES.slice(0, extract?.maxUrls),
    rerank: [QUERY, ...TEXTS],
    embed: TEXTS.slice(0, embed?.maxInputs),
  }[kindOf(provider, slug)];
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
      const urls = addressesOf(asked.outcome) ?? textsAsked(provider, asked.model);
      return provider.extract?.extract({ model, urls, format: 'markdown', ...asked.call }, context);
    }
    case 'rerank': {
      const call = { query: QUERY, documents: textsOf(asked) ?? TEXTS, ...asked.call };
      return provider.rerank?.rerank({ model, topN: call.documents.length, ...call }, context);
    }
    case 'embed': {
      const inputs = textsOf(asked) ?? textsAsked(provider, asked.model);
      const call = { inputs, inputType: undefined, dimensions: undefined, ...asked.call };
      return provider.embed?.embed({ model, ...call }, context);
    }
  }
}

function addressesOf(outcome: Asked['outcome']): string[] | undefined {
  return outcome !== undefined && 'pages' in outcome ? [...new Set(outcome.pages.map(({ url }) => url))] : undefined;
}

/** As many texts as an outcome has entries. */
function textsOf({ outcome }: Asked): string[] | undefined {
  return outcome && entriesOf(outcome).map((_entry, at) => `${at + 1}. ${QUERY}`);
}

/** A reply of ranks or vectors: each entry counts. */
export type EntryFixture = PortFixture<'rerank'> | PortFixture<'embed'>;

export function isEntryFixture(fixture: OutcomeFixture): fixture is EntryFixture {
  return fixture.kind === 'rerank' || fixture.kind === 'embed';
}

/** An entry of such a reply. */
export type Entry = Partial<Rank & Embedding>;

export function entriesOf(outcome: Outcome): readonly Entry[] {
  return 'ranks' in outcome ? outcome.ranks : 'embeddings' in outcome ? outcome.embeddings : [];
}
