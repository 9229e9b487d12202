import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createEventReader } from '../src/provider-kit/index.js';

export interface StreamEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A streamed response while it arrives. */
export interface OpenResponse {
  readonly message: IncomingMessage;
  readonly events: readonly StreamEvent[];
  /** Resolves when `count` events have arrived. */
  count(wanted: number): Promise<readonly StreamEvent[]>;
  /** Resolves at the end of the response; rejects if it was cut. */
  end(): Promise<readonly StreamEvent[]>;
  /** The body of a whole response. */
  json(): Promise<Record<string, unknown>>;
  hangUp(): void;
}

interface Asking {
  readonly apiKey: string;
  readonly body: object;
  readonly headers?: Record<string, string>;
  /** Called for each text part. */
  readonly onDelta?: () => void;
}

/** Asks for an answer and reads the response. */
export async function openStream(url: string, { apiKey, body, headers = {}, onDelta }: Asking): Promise<OpenResponse> {
  const req = request(`${url}/api/v1/answer`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
  });
  req.on('error', () => undefined);
  req.end(JSON.stringify(body));
  const [message] = (await once(req, 'response')) as [IncomingMessage];
  const events: StreamEvent[] = [];
  let text = '';
  let wake = (): void => undefined;
  const reader = createEventReader(({ event, data }) => {
    events.push({ event, data: JSON.parse(data) as Record<string, unknown> });
    if (event === 'delta') onDelta?.();
  });
  message.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (message.headers['content-type']?.startsWith('text/event-stream')) reader.push(piece);
    wake();
  });
  const ended = new Promise<void>((resolve, reject) => {
    message.once('end', resolve).once('error', reject).once('aborted', reject);
  });
  ended.catch(() => undefined);
  return {
    message,
    events,
    async count(wanted) {
      while (events.length < wanted) await new Promise<void>((resolve) => (wake = resolve));
      return events;
    },
    async end() {
      await ended;
      return events;
    },
    async json() {
      await ended;
      return JSON.parse(text) as Record<string, unknown>;
    },
    hangUp: () => void message.destroy(),
  };
}

export const joined = (events: readonly StreamEvent[]): string =>
  events
    .filter(({ event }) => event === 'delta')
    .map(({ data }) => String(data['text']))
    .join('');

/** One upstream reply whose parts the test sends. */
export interface UpstreamCall {
  readonly body: Record<string, unknown>;
  readonly res: ServerResponse;
  /** Sends an event; a text is sent unchanged. */
  send(event: object | string): void;
  end(): void;
}
