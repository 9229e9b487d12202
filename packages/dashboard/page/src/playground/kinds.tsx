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

interface WholeCall<Request extends object, Body> {
  readonly category: Exclude<Model['category'], 'answer'>;
  readonly request: Request;
  send(client: Client, request: Request & { readonly signal: AbortSignal }): Promise<Body>;
  show(body: Body): Pick<Reply, 'parts' | 'view' | 'sources'>;
}

/** A call whose reply comes in one piece. */
function wholeCall<Request extends object, Body extends Omit<Reply, 'parts' | 'view'>>({
  category,
  request,
  send,
  show,
}: WholeCall<Request, Body>): Call {
  return {
    category,
    request,
    async send(client, signal) {
      const body = await send(client, { ...request, signal });
      return { ...body, ...show(body) };
    },
  };
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

type LabelAndPlaceholder = readonly [label: string, placeholder: string];

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
    query: ['Question', 'What do you want to know?'],
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
    query: ['Query', 'What do you want to find?'],
    action: 'Search',
    title: 'Results',
    part: 'result',
    waiting: 'Searching…',
    callOf({ model, query, options: { maxResults, includeContent, ...search } }) {
      const narrowed = { model, query, ...(Object.keys(search).length > 0 && { search }) };
      return wholeCall({
        category: 'search',
        request: { ...narrowed, maxResults, includeContent },
        send: (client, request) => client.search(request),
        show: ({ results }) => ({ parts: results.length, view: <Pages pages={results} />, sources: results }),
      });
    },
  },
  extract: {
    models: 'Extracts',
    list: ['Addresses, one per line', 'https://…'],
    action: 'Read',
    title: 'Pages',
    part: 'page',
    waiting: 'Reading…',
    callOf: ({ model, list: urls }) =>
      wholeCall({
        category: 'extract',
        request: { model, urls },
        send: (client, request) => client.extract(request),
        show: ({ results }) => ({ parts: results.length, view: <Pages pages={results} /> }),
      }),
  },
  rerank: {
    models: 'Reranks',
    query: ['Query', 'What are the documents to be relevant to?'],
    list: ['Documents, one per line', 'A text'],
    action: 'Sort',
    title: 'Documents',
    part: 'document',
    waiting: 'Sorting…',
    callOf: ({ model, query, list: documents }) =>
      wholeCall({
        category: 'rerank',
        request: { model, query, documents },
        send: (client, request) => client.rerank(request),
        show: ({ results }) => ({ parts: results.length, view: <RankedDocuments documents={results} /> }),
      }),
  },
  embedding: {
    models: 'Embeddings',
    list: ['Texts, one per line', 'A text'],
    action: 'Embed',
    title: 'Vectors',
    part: 'vector',
    waiting: 'Embedding…',
    callOf: ({ model, list: input }) =>
      wholeCall({
        category: 'embedding',
        request: { model, input },
        send: (client, request) => client.embed(request),
        show: ({ data }) => ({ parts: data.length, view: <Vectors vectors={data} /> }),
      }),
  },
};

export const CATEGORIES = Object.keys(KINDS) as Model['category'][];
