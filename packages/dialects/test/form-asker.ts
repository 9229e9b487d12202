import { createGateway, memoryLedger, type RequestFinished, toFetchHandler } from '@searchgate/core';
import type { EndpointOptions } from '@searchgate/core/extensions';
import { retrievalProvider, type Seen } from './retrieval-provider.js';

interface Replied {
  readonly status: number;
  /** As JSON, or the events of a stream. */
  readonly body: unknown;
  /** What the provider was asked; `undefined` for a call that was refused before. */
  readonly seen: Seen | undefined;
  readonly event: RequestFinished;
  readonly retryAfter: string | null;
  /** What the organization has spent on the call, in USD. */
  readonly spent: number;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Asks a gateway with these paths, with the key `sk-test`.
 *
 * @param fail may throw in place of the provider. Default: the provider gives all.
 * @param credits of the organization, in USD.
 */
export function formAsker(endpoints: EndpointOptions, fail: () => void = () => undefined, credits = '100') {
  let seen: Seen | undefined;
  let finish: (event: RequestFinished) => void = () => undefined;
  const ledger = memoryLedger({ credits: { acme: credits } });
  const gateway = createGateway({
    providers: [
      retrievalProvider((call) => {
        seen = call;
        fail();
      }),
    ],
    maxAttempts: 1,
    ledger,
    authenticate: (token) => (token === 'sk-test' ? { id: 'key', organizationId: 'acme' } : null),
    endpoints,
    onEvent(event) {
      if (event.type === 'request_finished' && event.endpoint !== 'credits') finish(event);
    },
  });
  const handle = toFetchHandler(gateway);
  const spend = async () => (await gateway.credits({ apiKey: 'sk-test' })).totalUsage;

  return async ({ method = 'POST', path, body, headers }: Request): Promise<Replied> => {
    seen = undefined;
    const before = await spend();
    const finished = new Promise<RequestFinished>((resolve) => (finish = resolve));
    const key = headers?.['x-api-key'] === undefined && { authorization: 'Bearer sk-test' };
    const own = { ...key, ...(body && { 'content-type': 'application/json' }), ...headers };
    const init = { method, headers: own, body: body === undefined ? null : JSON.stringify(body) };
    const response = await handle(new Request(`http://localhost${path}`, init));
    const text = await response.text();
    const { status } = response;
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const event = await finished;
    return {
      retryAfter: response.headers.get('retry-after'),
      status,
      body: isJson ? JSON.parse(text) : text,
      seen,
      event,
      spent: Number(((await spend()) - before).toFixed(9)),
    };
  };
}
