import { ChatOpenAI } from '@langchain/openai';

/** @param baseURL mount URL of the gateway plus `/api/v1` */
export function createModel(baseURL: string, apiKey: string, model: string): ChatOpenAI {
  return new ChatOpenAI({
    model,
    apiKey,
    configuration: { baseURL },
    maxRetries: 2,
    __includeRawResponse: true, // keeps the sources: see below
  });
}

/** Asks one question. */
export async function ask(model: ChatOpenAI, query: string) {
  const { text, additional_kwargs } = await model.invoke(query);
  const { citations } = additional_kwargs['__raw_response'] as { citations: string[] };
  return { answer: text, citations };
}
