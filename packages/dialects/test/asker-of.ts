import { createGateway, memoryLedger, type RequestFinished, toFetchHandler } from '@searchgate/core';
import type { Dialect } from '@searchgate/core/extensions';
import type { Provider, ProviderQuestion } from '@searchgate/core/provider-kit';

const FIELD = { field: 'filters', as: 'filters' };
const LISTED = { source: 'test', asOf: '2026-11-28', confidence: 'high' } as const;

/** A provider that honors every option, and remembers the last question. */
function provider(seen: (call: ProviderQuestion) => void): Provider {
  return {
    id: 'exa',
    name: 'Exa',
    models: [
      {
        slug: 'exa/answer',
        name: 'Answers',
        description: 'Answers.',
        prices: [{ kind: 'flat', request: '0.005', ...LISTED }],
        features: ['citations', 'multi_turn', 'json_schema'],
        options: { includeDomains: FIELD, excludeDomains: FIELD, freshness: FIELD, country: FIELD },
        timeoutMs: 1_000,
      },
    ],
    answer: {
      answer(call) {
        seen(call);
        return Promise.resolve({
          text: call.responseFormat === undefined ? 'In 2021 [1].' : '{"year":"[1]"}',
          citations: [
            {
              url: `https://${call.search?.includeDomains?.[0] ?? 'example.org'}/`,
              title: 'Zephyr Bridge opens',
              snippet: '',
            },
          ],
          cost: {},
        });
      },
    },
  };
}

interface Asked {
  readonly status: number;
  readonly body: string;
  /** Of a refusal. */
  readonly error: { readonly code: string; readonly param: string | null; readonly message: string } | undefined;
  /** What the provider got; `undefined` for a refusal. */
  readonly question: ProviderQuestion | undefined;
  readonly event: RequestFinished;
}

/** Asks a gateway with this dialect, each time as another caller: none is refused for many wrong requests. */
export function askerOf(endpoints: { readonly [name: string]: Dialect }): (fields: object) => Promise<Asked> {
  const [dialect] = Object.values(endpoints);
  let callers = 0;
  let question: ProviderQuestion | undefined;
  let finish: (event: RequestFinished) => void = () => undefined;
  const gateway = createGateway({
    providers: [provider((call) => (question = call))],
    ledger: memoryLedger({ credits: { acme: '100' } }),
    authenticate: () => ({ id: `key-${(callers += 1)}`, organizationId: 'acme' }),
    endpoints,
    maxQueryCharacters: 200,
    onEvent(finished) {
      if (finished.type === 'request_finished') finish(finished);
    },
  });
  const handle = toFetchHandler(gateway);
  return async (fields) => {
    question = undefined;
    const event = new Promise<RequestFinished>((resolve) => (finish = resolve));
    const response = await handle(
      new Request(`http://localhost${dialect?.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      }),
    );
    const body = await response.text();
    const { status } = response;
    const error = status === 200 ? undefined : (JSON.parse(body) as Pick<Asked, 'error'>).error;
    return { status, body, error, question, event: await event };
  };
}
