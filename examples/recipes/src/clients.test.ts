import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODEL, SECRET, serve, startGateway } from './test-gateway.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/recipes/clients.md'), 'utf8');

interface Client {
  ask(query: string, options: { baseUrl: string; apiKey: string; model: string }): Promise<{ answer: string }>;
}

const SCRIPTS = [...PAGE.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code = '']) => code);
const load = (code = '') => import(`data:text/javascript,${encodeURIComponent(code)}`) as Promise<unknown>;

describe('the JavaScript client of docs/recipes/clients.md', () => {
  let ask: Client['ask'];
  beforeAll(async () => {
    ({ ask } = (await load(SCRIPTS[0])) as Client);
  });

  it('gets an answer', async () => {
    const { gateway } = startGateway();
    const server = await serve(gateway);
    const reply = await ask('How much leave do I get?', { baseUrl: server.url, apiKey: SECRET, model: MODEL });
    expect(reply).toMatchObject({ answer: 'Thirty days [1].', usage: { cost: 0.01 } });
    await server.close();
    await gateway.close();
  });

  it('throws the reason of a permanent error', async () => {
    const { gateway } = startGateway();
    const server = await serve(gateway);
    const asked = ask('How much leave do I get?', { baseUrl: server.url, apiKey: 'wrong', model: MODEL });
    await expect(asked).rejects.toThrow('invalid_api_key');
    await server.close();
    await gateway.close();
  });

  describe('with a retryable error', () => {
    const requests: (string | undefined)[] = [];
    let running: Awaited<ReturnType<typeof serve>>;
    const { gateway } = startGateway();
    beforeAll(async () => {
      running = await serve(gateway, [
        ({ headers }, response, next) => {
          requests.push(headers['idempotency-key']?.toString());
          if (requests.length > 1) next();
          else
            response
              .status(503)
              .set('Retry-After', '0')
              .json({ error: { reason: 'overloaded', retryable: true } });
        },
      ]);
    });
    afterAll(async () => {
      await running.close();
      await gateway.close();
    });

    it('retries under the same Idempotency-Key', async () => {
      const options = { baseUrl: running.url, apiKey: SECRET, model: MODEL };
      expect(await ask('How much leave do I get?', options)).toMatchObject({ answer: 'Thirty days [1].' });
      expect(requests).toHaveLength(2);
      expect(requests[0]).toMatch(/^[\w-]{36}$/);
      expect(requests[1]).toBe(requests[0]);
    });
  });
});

describe('the streaming client of docs/recipes/clients.md', () => {
  interface Event {
    readonly event: string;
    readonly data: Record<string, unknown>;
  }
  type AskStream = (query: string, options: object) => AsyncIterable<Event>;

  async function eventsFor(apiKey: string): Promise<Event[]> {
    const { askStream } = (await load(SCRIPTS[1])) as { askStream: AskStream };
    const { gateway } = startGateway();
    const server = await serve(gateway);
    const events: Event[] = [];
    try {
      const asked = askStream('How much leave do I get?', { baseUrl: server.url, apiKey, model: MODEL });
      for await (const event of asked) events.push(event);
    } finally {
      await server.close();
      await gateway.close();
    }
    return events;
  }

  it('gets the events of an answer', async () => {
    expect(await eventsFor(SECRET)).toMatchObject([
      { event: 'start', data: { model: MODEL } },
      { event: 'citations' },
      { event: 'delta', data: { text: 'Thirty days [1].' } },
      { event: 'done', data: { answer: 'Thirty days [1].', usage: { cost: 0.01 } } },
    ]);
  });

  it('throws the reason of an error before the first event', async () => {
    await expect(eventsFor('wrong')).rejects.toThrow('invalid_api_key');
  });
});
