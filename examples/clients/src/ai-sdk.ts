import { createOpenAICompatible, type MetadataExtractor } from '@ai-sdk/openai-compatible';

/** Keeps the addresses of the sources, which the AI SDK would drop, in `providerMetadata.searchgate.citations`. */
const citationsExtractor: MetadataExtractor = {
  extractMetadata: ({ parsedBody }) => Promise.resolve(metadataOf(citationsIn(parsedBody))),
  createStreamExtractor() {
    let citations: string[] | undefined;
    return {
      processChunk: (chunk) => {
        citations = citationsIn(chunk) ?? citations;
      },
      buildMetadata: () => metadataOf(citations),
    };
  },
};

function citationsIn(body: unknown): string[] | undefined {
  return (body as { citations?: string[] } | undefined)?.citations;
}

function metadataOf(citations: string[] | undefined) {
  return citations && { searchgate: { citations } };
}

/** @param baseURL where the gateway is mounted, with `/api/v1` */
export function createProvider(baseURL: string, apiKey: string) {
  return createOpenAICompatible({ name: 'searchgate', baseURL, apiKey, metadataExtractor: citationsExtractor });
}
