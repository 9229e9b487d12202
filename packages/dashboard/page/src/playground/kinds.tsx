import type { AnswerRequest, Client } from '@searchgate/client';
import type { ComponentChildren } from 'preact';
import type { Model } from '../../../src/api/contract.js';
import { type FailedPage, Pages } from './pages.js';
import { RankedDocuments, Vectors } from './ranks-and-vectors.js';
import type { GivenOptions } from './search-fields.js';

/** A call of a model: its request as the client takes it. Answers come as a stream, other replies in one piece. */
export type Call =
  | { readonly category: 'answer'; readonly request: AnswerRequest }
  | {
      readonly category: Exclude<Model['category'], 'answer'>;
      readonly request: object;
      send(client: Client, signal: AbortSignal): Promise<Reply>;
    };

/** The reply to a call that is no question. */
export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly usage: { readonly cost: number };
  /** How many pages, documents or vectors there are. */
  readonly parts: number;
  readonly view: ComponentChildren;
  /** What was found. */
  readonly sources?: readonly { readonly url: string; readonly title: string; readonly snippet: string }[];
  readonly failed?: readonly FailedPage[];
}

/** What a user has filled in. */
interface Filled {
  readonly model: string;
  readonly query: string;
  /** A text per line. */
  readonly list: readonly string[];
  /** Of a question or a search. */
  readonly options: GivenOptions;
}

interface LabelAndPlaceholder {
  readonly label: string;
  readonly placeholder: string;
}

/** The form of a kind of call, and the words for its reply. A call has a query, a list with an entry per line, or both. */
interface CallForm {
  /** The heading of its models. */
  readonly models: string;
  readonly query?: LabelAndPlaceholder;
  readonly list?: LabelAndPlaceholder;
  readonly action: string;
  readonly title: string;
  readonly part: string;
  readonly waiting: string;
  callOf(filled: Filled): Call;
}

/** All kinds of calls, in the order of the list of models. */
export const KINDS: Readonly<Record<Model['category'], CallForm>> = {
  answer: {
    models: 'Answers',
    query: { label: 'Question', placeholder: 'What do you want to know?' },
    action: 'Ask',
    title: 'Answer',
    part: 'source',
    waiting: 'Searching…',
    callOf({ model, query, options: { instructions, maxOutputTokens, ...search } }) {
      const narrowed = { model, query, ...(Object.keys(search).length > 0 && { search }) };
      return { category: 'answer', request: { ...narrowed, instructions, maxOutputTokens } };
    },
  },
  search: {
    models: 'Searches',
    query: { label: 'Query', placeholder: 'What do you want to find?' },
    action: 'Search',
    title: 'Results',
    part: 'result',
    waiting: 'Searching…',
    callOf({ model, query, options: { maxResults, includeContent, ...search } }) {
      const narrowed = { model, query, ...(Object.keys(search).length > 0 && { search }) };
      const request = { ...narrowed, maxResults, includeContent };
      const send = async (client: Client, signal: AbortSignal) => {
        const reply = await client.search({ ...request, signal });
        return { ...reply, parts: reply.results.length, view: <Pages pages={reply.results} />, sources: reply.results };
      };
      return { category: 'search', request, send };
    },
  },
  extract: {
    models: 'Extracts',
    list: { label: 'Addresses, one per line', placeholder: 'https://…' },
    action: 'Read',
    title: 'Pages',
    part: 'page',
    waiting: 'Reading…',
    callOf({ model, list: urls }) {
      const request = { model, urls };
      const send = async (client: Client, signal: AbortSignal) => {
        const reply = await client.extract({ ...request, signal });
        return { ...reply, parts: reply.results.length, view: <Pages pages={reply.results} /> };
      };
      return { category: 'extract', request, send };
    },
  },
  rerank: {
    models: 'Reranks',
    query: { label: 'Query', placeholder: 'What are the documents to be relevant to?' },
    list: { label: 'Documents, one per line', placeholder: 'A text' },
    action: 'Sort',
    title: 'Documents',
    part: 'document',
    waiting: 'Sorting…',
    callOf({ model, query, list: documents }) {
      const request = { model, query, documents };
      const send = async (client: Client, signal: AbortSignal) => {
        const reply = await client.rerank({ ...request, signal });
        return { ...reply, parts: reply.results.length, view: <RankedDocuments documents={reply.results} /> };
      };
      return { category: 'rerank', request, send };
    },
  },
  embedding: {
    models: 'Embeddings',
    list: { label: 'Texts, one per line', placeholder: 'A text' },
    action: 'Embed',
    title: 'Vectors',
    part: 'vector',
    waiting: 'Embedding…',
    callOf({ model, list: input }) {
      const request = { model, input };
      const send = async (client: Client, signal: AbortSignal) => {
        const reply = await client.embed({ ...request, signal });
        return { ...reply, parts: reply.data.length, view: <Vectors vectors={reply.data} /> };
      };
      return { category: 'embedding', request, send };
    },
  },
};

export const CATEGORIES = Object.keys(KINDS) as Model['category'][];
