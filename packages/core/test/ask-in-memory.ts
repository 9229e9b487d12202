import type { Gateway } from '../src/index.js';
import { createEventReader } from '../src/provider-kit/index.js';
import type { StreamEvent } from './stream-client.js';

export interface Asked {
  readonly status: number;
  readonly events: readonly StreamEvent[];
  /** The body of a response that is no stream. */
  readonly json: unknown;
}

interface Asking {
  readonly apiKey: string;
  /** Called when a part of the text comes. */
  readonly onDelta?: () => void;
}

/** Asks for a streamed answer without any transport. Resolves when it has ended; rejects when it was cut. */
export async function askInMemory({ handle }: Gateway, { apiKey, onDelta }: Asking): Promise<Asked> {
  const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await handle({
    method: 'POST',
    path: '/api/v1/answer',
    query: '',
    header: (name) => headers[name],
    readBody: () => Promise.resolve({ parsed: { model: 'exa/answer', query: 'When?', stream: true } }),
    disconnected: false,
  });
  const { status = 0, body = null } = response ?? {};
  if (typeof body === 'string') return { status, events: [], json: JSON.parse(body) };
  if (body === null || body instanceof Uint8Array) throw new Error('the response is neither text nor a stream');
  const events: StreamEvent[] = [];
  const reader = createEventReader(({ event, data }) => {
    events.push({ event, data: JSON.parse(data) as Record<string, unknown> });
    if (event === 'delta') onDelta?.();
  });
  await new Promise<void>((resolve, reject) => {
    body.pipeTo({
      write: (text) => reader.push(text),
      end: resolve,
      destroy: () => reject(new Error('the gateway has closed the stream')),
      bufferedBytes: 0,
      isClosed: false,
    });
  });
  return { status, events, json: undefined };
}
