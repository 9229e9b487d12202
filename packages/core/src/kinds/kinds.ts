import { type EmbedCallOptions, type EmbedReply, embeddingsKind } from './embeddings.js';
import { type ExtractCallOptions, type ExtractReply, extractKind } from './extract.js';
import { type ListedKind, listedKind } from './kind.js';
import { type RerankCallOptions, type RerankReply, rerankKind } from './rerank.js';
import { type SearchCallOptions, type SearchReply, searchKind } from './search.js';

/** Each `Kind`, by its name in options, events, logs and metrics. Questions have no `Kind`, so they are not in the list. */
export const KINDS = {
  search: listedKind(searchKind),
  extract: listedKind(extractKind),
  rerank: listedKind(rerankKind),
  embeddings: listedKind(embeddingsKind),
} as const;

export type KindName = keyof typeof KINDS;
/** The kinds whose texts are long. */
export type LongKindName = 'rerank' | 'embeddings';

/** Each kind with its name. */
export const KIND_LIST = Object.entries(KINDS) as readonly (readonly [KindName, ListedKind])[];

/** The kinds as functions. In process they work whatever `endpoints` says, and reject with a `RequestError`. Each returns the body of a success. */
export interface KindCalls {
  /** Finds pages, as `POST /search` does. */
  search(options: SearchCallOptions): Promise<SearchReply>;
  /** Reads pages, as `POST /extract` does. */
  extract(options: ExtractCallOptions): Promise<ExtractReply>;
  /** Sorts documents by relevance, as `POST /rerank` does. */
  rerank(options: RerankCallOptions): Promise<RerankReply>;
  /** Makes vectors of texts, as `POST /embeddings` does. */
  embed(options: EmbedCallOptions): Promise<EmbedReply>;
}

export type {
  EmbedCallOptions,
  EmbedReply,
  ExtractCallOptions,
  ExtractReply,
  RerankCallOptions,
  RerankReply,
  SearchCallOptions,
  SearchReply,
};
