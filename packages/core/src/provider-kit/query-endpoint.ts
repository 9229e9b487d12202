import type { z } from 'zod';
import { currentKey, type JsonEndpointOptions, type JsonReply, readJsonReply } from './json-endpoint.js';
import type { AnswerContext } from './provider.js';
import type { Connection } from './provider-settings.js';

export interface QueryEndpointOptions<S extends z.ZodType>
  extends Pick<JsonEndpointOptions<S>, 'path' | 'errors' | 'reply'> {
  /** The parameter that carries the key, for providers that take it nowhere else. */
  readonly keyParameter: string;
}

/**
 * One address of a provider that is asked by GET, as a function: parameters in, a checked reply out. Addresses end up in the logs of whatever stands in
 * between, so this is for providers that know no other way. Makes one request and never retries.
 */
export function queryEndpoint<S extends z.ZodType>(connection: Connection, options: QueryEndpointOptions<S>) {
  const base = connection.baseUrl + options.path;
  /** @throws UpstreamError for everything but a 2xx JSON object of the expected shape. */
  return async (
    parameters: Readonly<Record<string, string>>,
    { upstream }: AnswerContext,
  ): Promise<JsonReply<z.output<S>>> => {
    const apiKey = await currentKey(connection.apiKey);
    const url = new URL(base);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    url.searchParams.set(options.keyParameter, apiKey);
    return readJsonReply(await upstream.send({ method: 'GET', url, headers: connection.headers }), options, [apiKey]);
  };
}
