import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../auth/api-key.js';
import { RequestError } from '../base/errors/request-error.js';
import type { RequestFinished } from '../base/events/events.js';
import type { Tracer } from '../base/events/tracer.js';
import { Tracing } from '../base/events/tracing.js';
import { createRequestLifecycle, type RequestHandler } from './handle-request-lifecycle.js';

const API_KEY = { id: 'key', organizationId: 'acme' } as ApiKey;
const REFUSED = new RequestError('overloaded');
const refused = (): never => {
  throw REFUSED;
};

function start(tracer?: Tracer) {
  const steps: string[] = [];
  const events: RequestFinished[] = [];
  const logged: unknown[] = [];
  const clock = createFakeClock(7_000);
  const logger = { warn: () => undefined, error: (fields: object) => void logged.push(fields) };
  const run = createRequestLifecycle({
    admission: { begin: () => void steps.push('begin'), end: () => void steps.push('end') },
    clock,
    newId: (nowMs) => String(nowMs),
    events: { emit: (event) => void events.push(event as RequestFinished) },
    logger,
    tracing: tracer && new Tracing(tracer, logger),
  });
  const operation: RequestHandler<string, string> = {
    name: 'answer',
    check: (input) => void steps.push(`check ${input}`),
    authenticate: () => API_KEY,
    respond: (input) => `${input} served`,
    refuse: (error) => error.reason,
    statusOf: () => 200,
    isDisconnected: () => false,
    clientRequestId: () => null,
  };
  const call = (more: Partial<RequestHandler<string, string>> = {}) => run({ ...operation, ...more }, 'a call');
  return { call, steps, events, logged, clock };
}

describe('a call', () => {
  it('is counted from its check to its end, and gives its slot back before that', async () => {
    const { call, steps } = start();
    const slot = { free: (organizationId: string) => void steps.push(`free ${organizationId}`) };
    const respond: RequestHandler<string, string>['respond'] = (_input, record) => ((record.slot = slot), 'served');
    expect(await call({ respond })).toBe('served');
    expect(steps).toEqual(['check a call', 'begin', 'free acme', 'end']);
  });

  it('that fails its check is not counted', async () => {
    const { call, steps, events } = start();
    expect(await call({ check: refused })).toBe('overloaded');
    expect(steps).toEqual([]);
    expect(events).toMatchObject([{ status: 503, reason: 'overloaded', keyId: null, organizationId: null }]);
  });

  it('that is refused is counted out again', async () => {
    const { call, steps } = start();
    expect(await call({ authenticate: refused })).toBe('overloaded');
    expect(steps).toEqual(['check a call', 'begin', 'end']);
  });

  it('reports its duration, the time of its first content, and its parts', async () => {
    const { call, events, clock } = start();
    const parts = [{ model: 'a/search', cost: 5n }];
    await call({
      async respond(_input, record) {
        await clock.advance(30);
        record.firstContentMs = clock.monotonic();
        record.context.cache = { status: 'hit', ageMs: 1, leftMs: 2 };
        record.context.parts = parts;
        await clock.advance(12);
        return 'served';
      },
    });
    await call();
    expect(events).toMatchObject([
      { atMs: 7_042, requestId: 'req_7000', durationMs: 42, firstContentMs: 30, cache: 'hit', keyId: 'key', parts },
      { atMs: 7_042, requestId: 'req_7042', durationMs: 0, firstContentMs: null, cache: null, parts: undefined },
    ]);
  });

  it('with an internal error is logged with its id, and its caller does not see the cause', async () => {
    const { call, events, logged } = start();
    const error = new TypeError('broken');
    const respond = () => Promise.reject(error);
    expect(await call({ respond })).toBe('internal_error');
    expect(logged).toEqual([{ error, requestId: 'req_7000' }]);
    expect(events).toMatchObject([{ status: 500, reason: 'internal_error' }]);
  });

  it.each([true, false])('runs within its span, and ends the span with its event; has a span: %s', async (hasSpan) => {
    const seen: unknown[] = [];
    const span: ReturnType<Tracer['startRequest']> = {
      run(work) {
        seen.push('run');
        work();
      },
      end: ({ status }) => void seen.push(status),
      startAttempt: () => undefined,
    };
    const tracer: Tracer = { startRequest: (begun) => (seen.push(begun), hasSpan ? span : undefined) };
    expect(await start(tracer).call()).toBe('a call served');
    expect(seen).toEqual([{ endpoint: 'answer' }, ...(hasSpan ? ['run', 200] : [])]);
  });
});
