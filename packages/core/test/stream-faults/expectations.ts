import { expect } from 'vitest';
import { REASONS } from '../../src/index.js';
import { providerOf, type RecordedStream } from '../recorded-streams.js';
import type { Failure } from './fault-cases.js';
import type { Ending } from './stage.js';

export const errorOf = (stream: RecordedStream, { reason, phase }: Pick<Failure, 'reason' | 'phase'>) => ({
  code: REASONS[reason].status,
  reason,
  metadata: { provider: providerOf(stream), model: stream.model, attempts: 1, phase },
});

interface ExpectedMoney {
  readonly charge?: bigint | undefined;
  readonly loss?: bigint;
}

/** No hold is left, counters equal the log, and the log has these entries. */
export function expectMoney({ money }: Ending, { charge = 0n, loss = 0n }: ExpectedMoney): void {
  const entries = [['charge', charge] as const, ['loss', loss] as const].filter(([, amount]) => amount > 0n);
  expect(money).toEqual({ held: 0n, usages: [charge, charge], entries });
}

export const expectNothingLeft = ({ timers, logged }: Ending) => expect([timers, logged]).toEqual([0, []]);
