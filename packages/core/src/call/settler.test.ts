import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { LedgerError, type LedgerReason } from '../base/errors/ledger-error.js';
import { createEventStream, type GatewayEvent } from '../base/events/events.js';
import type { Charge, Ledger } from '../ledger/ledger.js';
import { createSettler } from './settler.js';

const CHARGE: Charge = { cost: 5n, model: 'exa/answer', provider: 'exa', costSource: 'flat' };
const PAYER = { id: 'key', organizationId: 'acme', limit: null, limitReset: null };

function start(failures: Error[]) {
  const logged: unknown[] = [];
  const logger = { warn: () => undefined, error: (fields: unknown) => logged.push(fields) };
  const clock = createFakeClock();
  const calls: string[] = [];
  const seen: GatewayEvent[] = [];
  const answer = (call: string): Promise<unknown> => {
    calls.push(call);
    const failure = failures.shift();
    return failure === undefined ? Promise.resolve({}) : Promise.reject(failure);
  };
  const ledger = {
    settle: (id: string) => answer(`settle ${id}`),
    release: (id: string) => answer(`release ${id}`),
  } as unknown as Ledger;
  const events = createEventStream(logger);
  events.subscribe((event) => void seen.push(event));
  const charged: string[] = [];
  const settler = createSettler({ ledger, clock, events, logger, charged: ({ id }) => charged.push(id) });
  const types = (): string[] => (
    events.flush(), seen.map((event) => ('final' in event && event.final ? `${event.type} final` : event.type))
  );
  return { clock, calls, charged, settler, types, logged, seen };
}

describe('settler', () => {
  it('reports the payer after the charge is written, early or late, but not after a release', async () => {
    const { settler, charged, clock } = start([new Error('down')]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    await settler.end('b', { operation: 'release', release: { reason: 'upstream_timeout' } }, 'req');
    expect(charged).toEqual([]);
    await clock.advance(1_000);
    expect(charged).toEqual(['key']);
  });

  it('reports the causes of an error without a message, as for a host with several addresses', async () => {
    const refused = ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'];
    const { settler, types, seen } = start([new AggregateError(refused.map((message) => new Error(message)))]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    expect(types()).toEqual(['ledger_settle_failed']);
    expect(seen).toMatchObject([{ error: refused[0] }]);
  });

  it('ends a hold at once and emits nothing when the ledger works', async () => {
    const { settler, calls, types } = start([]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    await settler.end('b', { operation: 'release', release: { reason: 'upstream_timeout' } }, 'req');
    expect(calls).toEqual(['settle a', 'release b']);
    expect(types()).toEqual([]);
  });

  it('retries in the background with growing pauses until the ledger is back', async () => {
    const { settler, calls, types, clock } = start([
      new Error('down'),
      new Error('down'),
      new LedgerError('ledger_timeout', 'slow'),
    ]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    expect(calls).toHaveLength(1);
    await clock.advance(1_000);
    expect(calls).toHaveLength(2);
    await clock.advance(1_999);
    expect(calls).toHaveLength(2);
    await clock.advance(1);
    await clock.advance(4_000);
    expect(calls).toHaveLength(4);
    expect(types()).toEqual([
      'ledger_settle_failed',
      'ledger_settle_failed',
      'ledger_settle_failed',
      'ledger_settle_recovered',
    ]);
  });

  it('logs and emits a hold that could not be ended', async () => {
    const down = new Error('down');
    const { settler, logged, types, seen } = start([down, 'not an error' as never]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    await settler.end('b', { operation: 'release', release: { reason: 'upstream_timeout' } }, 'req-2');
    const first = { error: down, holdId: 'a', requestId: 'req', operation: 'settle', costNanoUsd: '5', final: false };
    const second = { error: 'not an error', holdId: 'b', requestId: 'req-2', operation: 'release' };
    expect(logged).toEqual([first, { ...second, costNanoUsd: '0', final: false }]);
    types();
    expect(seen).toMatchObject([
      { requestId: 'req', holdId: 'a', operation: 'settle', attempt: 1, error: 'down' },
      { requestId: 'req-2', holdId: 'b', operation: 'release', attempt: 1, error: 'unknown error' },
    ]);
  });

  // Written by hand: a final error leaves a delivered answer unpaid.
  const ENDS: Record<LedgerReason, 'final' | 'retried'> = {
    unknown_hold: 'final',
    invalid_amount: 'final',
    invalid_id: 'final',
    invalid_argument: 'final',
    invalid_cursor: 'final',
    schema_mismatch: 'retried',
    ledger_timeout: 'retried',
    ledger_closed: 'retried',
    duplicate_hold: 'retried',
    duplicate_grant: 'retried',
    duplicate_adjustment: 'retried',
    duplicate_key: 'retried',
    unknown_key: 'retried',
    unknown_organization: 'retried',
    unknown_budget: 'retried',
    budget_in_use: 'retried',
    too_many_budgets: 'retried',
    schema_window_open: 'retried',
  };
  const operations = [
    ['settle', { operation: 'settle', charge: CHARGE, payer: PAYER }],
    ['release', { operation: 'release', release: { reason: 'upstream_timeout' } }],
  ] as const;
  const rows = operations.flatMap(([name, ending]) =>
    (Object.keys(ENDS) as LedgerReason[]).map((reason) => ({ name, ending, reason, end: ENDS[reason] })),
  );

  it.each(rows)('$name that is refused as $reason is $end', async ({ ending, reason, end }) => {
    const { settler, calls, types, clock } = start([new LedgerError(reason, 'refused')]);
    await settler.end('a', ending, 'req');
    await clock.advance(1_000);
    expect(calls).toHaveLength(end === 'final' ? 1 : 2);
    const retried = ['ledger_settle_failed', 'ledger_settle_recovered'];
    expect(types()).toEqual(end === 'final' ? ['ledger_settle_failed final'] : retried);
  });

  it('gives up after about a quarter of an hour', async () => {
    const { settler, calls, types, clock } = start(Array.from({ length: 30 }, () => new Error('down')));
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    await clock.advance(3_600_000);
    expect(calls).toHaveLength(20);
    expect(types().at(-1)).toBe('ledger_settle_failed final');
  });

  it('tries remaining endings once more when it closes', async () => {
    const { settler, calls, types } = start([new Error('down')]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    await settler.close();
    expect(calls).toEqual(['settle a', 'settle a']);
    expect(types()).toEqual(['ledger_settle_failed', 'ledger_settle_recovered']);
  });

  it('reports endings that still fail as final, and stops', async () => {
    const { settler, calls, types, clock } = start([new Error('down'), new Error('down')]);
    await settler.end('a', { operation: 'settle', charge: CHARGE, payer: PAYER }, 'req');
    await settler.close();
    await clock.advance(3_600_000);
    expect(calls).toHaveLength(2);
    expect(types()).toEqual(['ledger_settle_failed', 'ledger_settle_failed final']);
  });
});
