import { describe, expect, it } from 'vitest';
import { batchedOperations } from './postgres-money.js';

const OWNER = { organizationId: 'acme', keyId: 'key-1' };
const HELD = { ...OWNER, holdId: 'h', keyLimit: null, amount: 9n, expiresAtMs: 7, model: 'exa/answer' };
const CHARGE = { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;

describe('operations of one organization', () => {
  /** Batchers that give these answers, and by which routes they were asked. */
  function moneyOf(...answers: object[]) {
    const routes: unknown[] = [];
    const submit = async (route: string, { operation }: Record<string, unknown>) => {
      routes.push([operation, route]);
      return answers.shift() ?? {};
    };
    return { money: batchedOperations({ submit }), routes };
  }

  it('take its batcher', async () => {
    const { money, routes } = moneyOf();
    await money.grant({ grantId: 'g', organizationId: 'acme', amount: 1n, note: '' });
    await money.adjust({ adjustmentId: 'a', organizationId: 'globex', amount: 1n, note: '' });
    await money.admit(OWNER);
    expect(routes).toEqual([
      ['grant', 'acme'],
      ['adjust', 'globex'],
      ['admit', 'acme'],
    ]);
  });

  it('end a hold in the batcher that held it', async () => {
    const { money, routes } = moneyOf({ amount: '9' }, { status: 'settled' }, { amount: '9' }, { status: 'released' });
    await money.hold(HELD);
    await money.settle('h', CHARGE);
    await money.hold({ ...HELD, holdId: 'other', organizationId: 'globex' });
    await money.release('other', { reason: 'failed' });
    expect(routes).toEqual([
      ['hold', 'acme'],
      ['settle', 'acme'],
      ['hold', 'globex'],
      ['release', 'globex'],
    ]);
  });

  it('forget where a hold was once it has ended or was refused', async () => {
    const { money, routes } = moneyOf({ amount: '9' }, {}, {}, { by: 'key_rate' }, {});
    await money.hold(HELD);
    await money.release('h', { reason: 'failed' });
    await money.release('h', { reason: 'failed' });
    await money.hold(HELD);
    await money.settle('h', CHARGE);
    expect(routes).toEqual([
      ['hold', 'acme'],
      ['release', 'acme'],
      ['release', 'h'],
      ['hold', 'acme'],
      ['settle', 'h'],
    ]);
  });
});
