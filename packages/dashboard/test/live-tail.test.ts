import type { BodyWriter } from '@searchgate/core/node';
import { describe, expect, it } from 'vitest';
import { delivered, failOnce, openStage, plainRequest, removePages, type Stage, spend, type User } from './stage.js';

removePages();

interface Reader {
  /** The written events, without comments. */
  events(): { event: string; data: Record<string, unknown> }[];
  text: string;
  writes: number;
  hasEnded: boolean;
  bufferedBytes: number;
  isClosed: boolean;
}

/** Opens a tail with a reader that the test controls. */
async function tail({ dashboard }: Stage, user: User = 'viewer'): Promise<Reader & { status: number }> {
  const request = plainRequest(user, 'GET', { path: '/api/v1/events' });
  const response = await dashboard.handle(request);
  const reader: Reader & { status: number } = {
    status: response?.status ?? 0,
    text: '',
    writes: 0,
    hasEnded: false,
    bufferedBytes: 0,
    isClosed: false,
    events: () =>
      [...reader.text.matchAll(/^event: (.+)\ndata: (.+)\n\n/gm)].map(([, event = '', data = '']) => ({
        event,
        data: JSON.parse(data) as Record<string, unknown>,
      })),
  };
  const writer: BodyWriter = {
    write: (text) => {
      reader.text += text;
      reader.writes += 1;
    },
    end: () => void (reader.hasEnded = true),
    destroy: () => undefined,
    get bufferedBytes() {
      return reader.bufferedBytes;
    },
    get isClosed() {
      return reader.isClosed;
    },
  };
  const body = response?.body;
  if (typeof body === 'object' && body !== null && 'pipeTo' in body) body.pipeTo(writer);
  return reader;
}

/** Makes refused requests, which cost nothing. */
async function refusals({ gateway }: Stage, count: number): Promise<void> {
  const caller = { id: 'refused', organizationId: 'acme', limit: '0' };
  for (let index = 0; index < count; index += 1) {
    await gateway
      .answer({ apiKey: caller, model: `handbook/${index}`, query: 'a query of the caller' })
      .catch(() => undefined);
  }
  await delivered();
}

describe('api/v1/events', () => {
  it('sends each finished request with its figures but without its query', async () => {
    const stage = openStage();
    const reader = await tail(stage);
    const key = await spend(stage, 'acme');
    await stage.clock.advance(250);
    expect(reader.events()).toEqual([
      {
        event: 'request',
        data: {
          at: '2026-11-21T12:00:00.000Z',
          request_id: expect.any(String),
          endpoint: 'answer',
          status: 200,
          reason: null,
          organization_id: 'acme',
          key_id: key,
          model: 'handbook/answer',
          provider: 'handbook',
          cost: '0.01',
          cache: null,
          attempts: 1,
          duration_ms: 0,
          first_content_ms: null,
        },
      },
    ]);
    expect(reader.text).not.toContain('When?');
  });

  it('sends calls that are no questions with their endpoint, model and cost', async () => {
    const stage = openStage();
    const reader = await tail(stage);
    const apiKey = { id: 'a-key', organizationId: 'acme' };
    await stage.gateway.search({ apiKey, model: 'handbook/find', query: 'leave' });
    await stage.gateway.extract({ apiKey, model: 'handbook/read', urls: ['https://example.org/secret'] });
    await stage.gateway.rerank({ apiKey, model: 'handbook/rank', query: 'leave', documents: ['a secret', 'leave'] });
    await stage.gateway.embed({ apiKey, model: 'handbook/embed', input: 'a secret' });
    await delivered();
    await stage.clock.advance(250);
    const { events } = reader;
    expect(events().map(({ data }) => [data['endpoint'], data['model'], data['provider'], data['cost']])).toEqual([
      ['search', 'handbook/find', 'handbook', '0.007'],
      ['extract', 'handbook/read', 'handbook', '0.002'],
      ['rerank', 'handbook/rank', 'handbook', '0.002'],
      ['embeddings', 'handbook/embed', 'handbook', '0.001'],
    ]);
    expect(reader.text).not.toMatch(/leave|secret/);
  });

  it('sends pauses of providers', async () => {
    const stage = openStage();
    const readers = [await tail(stage), await tail(stage, 'acmeViewer')];
    for (let failure = 0; failure < 10; failure += 1) {
      await failOnce(stage, 'acme');
      await failOnce(stage, 'globex');
    }
    await stage.clock.advance(250);
    for (const reader of readers) {
      expect(reader.events().map(({ event, data }) => [event, data['state'], data['reason']])).toContainEqual([
        'provider',
        'paused',
        'upstream_error',
      ]);
    }
  });

  it('sends only the requests of visible organizations', async () => {
    const stage = openStage();
    const all = await tail(stage);
    const acme = await tail(stage, 'acmeViewer');
    await spend(stage, 'acme');
    await spend(stage, 'globex');
    await stage.gateway.answer({ apiKey: 'unknown', model: 'handbook/answer', query: 'When?' }).catch(() => undefined);
    await delivered();
    await stage.clock.advance(250);
    const organizations = (reader: Reader) => reader.events().map(({ data }) => data['organization_id']);
    expect([organizations(all), organizations(acme)]).toEqual([['acme', 'globex', null], ['acme']]);
  });

  it('sends the events of a quarter of a second in one write', async () => {
    const stage = openStage();
    const reader = await tail(stage);
    const before = reader.writes;
    await refusals(stage, 40);
    await stage.clock.advance(250);
    expect([reader.events().length, reader.writes - before]).toEqual([40, 1]);
  });

  it('drops the oldest events over 500, and sends their number', async () => {
    const stage = openStage();
    const reader = await tail(stage);
    await refusals(stage, 503);
    await stage.clock.advance(250);
    const [first, second] = reader.events();
    expect(first).toEqual({ event: 'dropped', data: { count: 3 } });
    expect([reader.events().length, second?.data['model']]).toEqual([501, 'handbook/3']);
    await refusals(stage, 1);
    await stage.clock.advance(250);
    expect(reader.events().filter(({ event }) => event === 'dropped')).toHaveLength(1);
  });

  it('pauses for a reader that does not read, and continues afterwards', async () => {
    const stage = openStage();
    const reader = await tail(stage);
    reader.bufferedBytes = 300_000;
    await refusals(stage, 600);
    await stage.clock.advance(10_000);
    expect(reader.events()).toEqual([]);
    reader.bufferedBytes = 0;
    await stage.clock.advance(15_000);
    expect(reader.events()[0]).toEqual({ event: 'dropped', data: { count: 100 } });
    expect(reader.events()).toHaveLength(501);
  });

  it('sends keep-alives, and ends after 15 minutes so that the permission is checked again', async () => {
    const stage = openStage();
    const reader = await tail(stage);
    expect(reader.text).toBe('retry: 2000\n\n: keep-alive\n\n');
    await stage.clock.advance(14 * 60_000);
    expect([reader.text.split(': keep-alive').length - 1, reader.hasEnded]).toEqual([57, false]);
    await stage.clock.advance(60_000);
    expect(reader.hasEnded).toBe(true);
  });

  it('allows 5 tails per viewer, 15 for all viewers and 20 with operators', async () => {
    const stage = openStage();
    const opened = async (user: User) => {
      const readers = await Promise.all(Array.from({ length: 20 }, () => tail(stage, user)));
      return readers.filter(({ status, hasEnded }) => status === 200 && !hasEnded).length;
    };
    expect([await opened('viewer'), await opened('acmeViewer'), await opened('globexViewer')]).toEqual([5, 5, 5]);
    expect([await opened('otherViewer'), await opened('operator'), await opened('acmeOperator')]).toEqual([0, 5, 0]);
  });

  it('allows a new tail after another has ended', async () => {
    const stage = openStage();
    const readers = await Promise.all(Array.from({ length: 5 }, () => tail(stage)));
    expect((await tail(stage)).status).toBe(503);
    readers[3]!.isClosed = true;
    expect((await tail(stage)).status).toBe(200);
    expect((await tail(stage)).status).toBe(503);
  });

  it('is not blocked by requests with an unread body', async () => {
    const stage = openStage();
    for (let index = 0; index < 30; index += 1) {
      expect((await stage.call('viewer', 'HEAD', '/api/v1/events')).status).toBe(200);
    }
    expect((await tail(stage)).status).toBe(200);
  });

  it('leaves no timer after its reader or the dashboard has closed', async () => {
    const stage = openStage();
    const idle = stage.clock.pendingTimers;
    const gone = await tail(stage);
    await refusals(stage, 1);
    gone.isClosed = true;
    await stage.clock.advance(15_000);
    expect(stage.clock.pendingTimers).toBe(idle);

    const open = await tail(stage);
    await refusals(stage, 1);
    stage.dashboard.close();
    expect(open.hasEnded).toBe(true);
    // The request log of the gateway writes.
    await stage.clock.advance(10_000);
    expect(stage.clock.pendingTimers).toBe(idle);
    await refusals(stage, 1);
    await stage.clock.advance(15_000);
    expect(open.events()).toEqual([]);
  });
});
