import { createGateway, memoryLedger, type RequestFinished, toFetchHandler } from '@searchgate/core';
import type { Dialect } from '@searchgate/core/extensions';
import type { ModelRow, Provider, ProviderQuestion } from '@searchgate/core/provider-kit';

const FIELD = { field: 'filters', as: 'filters' };
const LISTED = { source: 'test', asOf: '2026-11-28', confidence: 'high' } as const;

function row(slug: string, features: ModelRow['features']): ModelRow {
  const options = { includeDomains: FIELD, excludeDomains: FIELD, freshness: FIELD, country: FIELD };
  const prices = [{ kind: 'flat', request: '0.005', ...LISTED } as const];
  return { slug, name: slug, description: slug, prices, features, options, timeoutMs: 1_000 };
}

/** A limit of fewer tokens ends an answer early. */
export const ENOUGH_TOKENS = 5;

/** A provider that honors every option, has a model with every feature of answers and another with none, and remembers the last question. */
function provider(seen: (call: ProviderQuestion) => void): Provider {
  return {
    id: 'exa',
    name: 'Exa',
    models: [
      row('exa/answer', ['citations', 'multi_turn', 'json_schema', 'instructions', 'max_output_tokens']),
      row('exa/plain', ['citations']),
    ],
    answer: {
      answer(call) {
        seen(call);
        const truncated = (call.maxOutputTokens ?? ENOUGH_TOKENS) < ENOUGH_TOKENS;
        const text = truncated ? 'In' : 'In 2021 [1].';
        return Promise.resolve({
          text: call.responseFormat === undefined ? text : '{"year":"[1]"}',
          ...(truncated && { truncated }),
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
