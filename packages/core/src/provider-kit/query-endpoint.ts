import type { z } from 'zod';
import type { JsonReply } from './compose-answer.js';
import { bearer, currentKey, type JsonEndpointOptions, readJsonReply } from './json-endpoint.js';
import { keySourceOf } from './key-list.js';
import type { CallContext, Connection } from './provider.js';

/** Where the key is sent: in headers, or in the URL for providers that accept it only there. */
export type KeyPlace =
  | (Pick<JsonEndpointOptions<z.ZodType>, 'authorize'> & {
      /** Left out: the key is in a header. */
      readonly keyParameter?: undefined;
    })
  | {
      /** The name of the URL parameter with the key. */
      readonly keyParameter: string;
      /** Left out: the key is in the URL. */
      readonly authorize?: undefined;
    };

/** The options of a GET endpoint, each as in {@link JsonEndpointOptions}. */
export type QueryEndpointOptions<S extends z.ZodType> = KeyPlace &
  Pick<JsonEndpointOptions<S>, 'path' | 'errors' | 'errorReply' | 'reply' | 'completeness'>;

/**
 * Builds a function for one GET endpoint of a provider: it takes parameters and returns a checked reply. It makes one request and never retries. Proxies log
 * URLs, and with them the query, so use it only for providers without another way.
 */
export function queryEndpoint<S extends z.ZodType>(connection: Connection, options: QueryEndpointOptions<S>) {
  const base = connection.baseUrl + options.path;
  const { authorize = bearer, keyParameter } = options;
  /** @throws UpstreamError for everything but a 2xx JSON object of the expected shape. */
  return async (
    parameters: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<JsonReply<z.output<S>>> => {
    const apiKey = await currentKey(keySourceOf(connection, context));
    const url = new URL(base);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    if (keyParameter !== undefined) url.searchParams.set(keyParameter, apiKey);
    const headers = { ...connection.headers, ...(apiKey !== '' && keyParameter === undefined && authorize(apiKey)) };
    return readJsonReply(await context.upstream.send({ method: 'GET', url, headers }), options, [apiKey]);
  };
}
