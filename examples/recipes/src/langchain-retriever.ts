import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import type { Client, KindRequest } from '@searchgate/client';

/** Finds pages as documents: the text of a page, else its snippet, with title, address, date and score as metadata. */
export class SearchgateRetriever extends BaseRetriever {
  readonly lc_namespace = ['searchgate'];
  readonly #client: Client;
  readonly #request: Omit<KindRequest<'search'>, 'query'>;

  constructor(client: Client, request: Omit<KindRequest<'search'>, 'query'>) {
    super();
    this.#client = client;
    this.#request = request;
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { results } = await this.#client.search({ ...this.#request, query });
    return results.map(
      ({ content, snippet, ...metadata }) => new Document({ pageContent: content ?? snippet, metadata }),
    );
  }
}
