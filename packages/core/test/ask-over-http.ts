import type { Gateway, GatewayRequest } from '../src/index.js';
import { type AnswerOutcome, createEventReader } from '../src/provider-kit/index.js';
import { bodyText } from './body-text.js';
import { KEY, OUTCOME } from './scripted-gateway.js';

export interface HttpAsking {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  /** The caller's connection. */
  readonly connection?: { closed: boolean };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or the data of the last event. */
  readonly body: Record<string, unknown>;
  /** The events of a stream. */
  readonly events: readonly string[];
}

interface RequestParts {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly apiKey?: string;
  /** Parsed. Without one, the request must not be read. */
  readonly body?: object | undefined;
}

/** A request below `/api/v1/`, as a server hands it over. */
export function requestOf(path: string, parts: RequestParts = {}): GatewayRequest {
  const { method = 'POST', headers, apiKey = KEY, body } = parts;
  const sent = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers };
  return {
    method,
    path: `/api/v1/${path}`,
    query: '',
    header: (name) => sent[name as keyof typeof sent],
    readBody: () => (body ? Promise.resolve({ parsed: body }) : Promise.reject(new Error('no body'))),
    disconnected: false,
  };
}

/** Asks a question like a server, without a transport. */
export async function askOverHttp({ handle }: Gateway, asking: HttpAsking = {}): Promise<HttpAnswer> {
  const { body: more, connection = { closed: false }, ...parts } = asking;
  const response = await handle({
    ...requestOf('answer', { ...parts, body: { model: 'exa/answer', query: 'When did it open?', ...more } }),
    get disconnected() {
      return connection.closed;
    },
  });
  if (response === undefined) throw new Error('the gateway did not answer');
  const { status, headers: sent, body } = response;
  if (typeof body === 'string') return { status, headers: sent, body: parsed(body), events: [] };
  if (body === null || body instanceof Uint8Array) throw new Error('the response is neither text nor a stream');
  const events: { event: string; data: string }[] = [];
  const reader = createEventReader(({ event, data }) => void events.push({ event, data }));
  await new Promise<void>((resolve, reject) => {
    body.pipeTo({
      write: (text) => reader.push(text),
      end: resolve,
      destroy: () => reject(new Error('the gateway has closed the stream')),
      bufferedBytes: 0,
      isClosed: false,
    });
  });
  return { status, headers: sent, body: parsed(events.at(-1)?.data ?? '{}'), events: events.map(({ event }) => event) };
}

/** Looks up an asynchronous answer. */
export async function lookUp({ handle }: Gateway, id: unknown, { method = 'GET', apiKey = KEY } = {}) {
  const response = await handle(requestOf(`answers/${String(id)}`, { method, apiKey }));
  return { status: response?.status, body: parsed(bodyText(response) || 'null') };
}

/** A reply that the test sends. */
export function latch(outcome: AnswerOutcome = OUTCOME) {
  let open = (): void => undefined;
  const opened = new Promise<AnswerOutcome>((resolve) => (open = () => resolve(outcome)));
  return { reply: () => opened, open: () => open() };
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
