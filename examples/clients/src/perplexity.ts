import Perplexity from '@perplexity-ai/perplexity_ai';

/** @param baseURL mount URL of the gateway plus `/api/v1`; the client adds `/search` */
export function createClient(baseURL: string, apiKey: string): Perplexity {
  return new Perplexity({ baseURL, apiKey });
}
