import type { CallBodies, JsonObject, ModelBody, Refusal } from '@searchgate/core/extensions';
import { z } from 'zod';
import { type CallCategory, type GatewaySource, given, type Outcome, refused } from '../gateway-source.js';
import { problemOf } from '../problem-of.js';
import { readText } from './read-text.js';

/** A gateway behind a URL. */
export interface RemoteGateway {
  /** The mount URL, without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
}

export interface RemoteOptions {
  /** Gets failures that the operator should know. */
  readonly log: (text: string) => void;
  /** @default 290,000, just below the 300 s after which `fetch` itself gives up waiting for response headers (undici 6 and 7) */
  readonly answerTimeoutMs?: number;
}

const ANSWER_TIMEOUT_MS = 290_000;
const MODELS_TIMEOUT_MS = 15_000;

const text = z.string();
const head = { model: text, provider: text, usage: z.looseObject({ cost: z.number() }) };
const found = z.looseObject({ title: text, url: text, snippet: text });
const page = z.looseObject({
  url: text,
  title: text,
  content: text,
  date: text.nullable(),
  truncated: z.boolean(),
  resolved_url: text.optional(),
});
const bodies: Readonly<Record<CallCategory, z.ZodType>> = {
  answer: z.object({
    ...head,
    id: text,
    answer: text,
    citations: z.array(found).optional(),
    grounding: z.record(text, z.number()).optional(),
    truncated: z.boolean().optional(),
  }),
  search: z.object({ ...head, results: z.array(found) }),
  extract: z.object({ ...head, results: z.array(page).min(1) }),
};
const pricing = z.looseObject({ request: text.optional() });
const names = { id: text, category: text, name: text, provider: text, description: text };
const modelsBody = z.object({
  data: z.array(z.looseObject({ ...names, pricing, options: z.array(text).optional() })),
});
const errorBody = z.object({
  error: z.looseObject({ reason: text, message: text, retryable: z.boolean(), metadata: z.unknown() }),
});

/** Calls a gateway's paths of answers, searches, extracts and models. It never retries: an answer lost with its response has been charged. */
export function remoteSource({ url, apiKey }: RemoteGateway, options: RemoteOptions): GatewaySource {
  const { log, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function exchange<T>(path: string, { init, timeoutMs, schema }: Exchange<T>): Promise<Outcome<T>> {
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      // A gateway never redirects: a server that does is not a gateway and must not get the key.
      const response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'error', signal });
      const body = parseJson(await readText(response));
      const outcome = response.ok ? read(schema, body) : readRefusal(response, body);
      if (outcome !== undefined) return outcome;
      return failed('gateway_invalid_response', `The server at ${url} is not a gateway (HTTP ${response.status}).`);
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError')
        return failed('gateway_timeout', `The gateway has not answered within ${timeoutMs / 1_000} s.`);
      const message = `The gateway at ${url} cannot be reached (${causeOf(error)}).`;
      return failed('gateway_unreachable', message, init.signal.aborted);
    }
  }

  function failed(reason: keyof typeof ADVICE, message: string, isCanceled = false): Outcome<never> {
    if (!isCanceled) log(message);
    return refused({ reason, message, advice: ADVICE[reason], retryAfterSeconds: null, error: null });
  }

  return {
    call: <C extends CallCategory>(category: C, fields: JsonObject, signal: AbortSignal) =>
      exchange(`/api/v1/${category}`, {
        init: { method: 'POST', body: JSON.stringify(fields), signal },
        timeoutMs: answerTimeoutMs,
        schema: bodies[category] as unknown as z.ZodType<CallBodies[C]>,
      }),
    async models(categories, signal) {
      const listing = { init: { signal }, timeoutMs: MODELS_TIMEOUT_MS, schema: modelsBody };
      const { value, problem } = await exchange('/api/v1/models?callable=true', listing);
      if (problem !== null) return refused(problem);
      const models = value.data as unknown as readonly ModelBody[];
      return given(models.filter(({ category }) => (categories as readonly string[]).includes(category)));
    },
  };
}

interface Exchange<T> {
  readonly init: { readonly method?: string; readonly body?: string; readonly signal: AbortSignal };
  readonly timeoutMs: number;
  readonly schema: z.ZodType<T>;
}

const ADVICE = {
  gateway_unreachable: 'Let the user know: the gateway may be down, or SEARCHGATE_URL wrong.',
  gateway_timeout: 'Choose a faster model. The answer may have been charged.',
  gateway_invalid_response:
    'Let the user know: SEARCHGATE_URL has to be the address the gateway is mounted at, without /api/v1.',
};

function read<T>(schema: z.ZodType<T>, body: unknown): Outcome<T> | undefined {
  const result = schema.safeParse(body);
  return result.success ? given(result.data) : undefined;
}

function readRefusal({ headers }: Response, body: unknown): Outcome<never> | undefined {
  const result = errorBody.safeParse(body);
  if (!result.success) return undefined;
  const retryAfter = headers.get('retry-after') ?? '';
  const error = result.data.error as unknown as Refusal['error'];
  return refused(problemOf({ error, retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null }));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The message of `fetch` is only "fetch failed"; the cause has the details. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}
