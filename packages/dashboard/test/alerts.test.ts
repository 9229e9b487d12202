import type { GatewayEvent } from '@searchgate/core';
import { expect, it } from 'vitest';
import { LastAlerts } from '../src/api/alerts.js';
import { NOW_MS } from './stage.js';

const common = { atMs: NOW_MS, alertId: 'alr_1', organizationId: 'acme' };
const budget = {
  ...common,
  subject: 'key',
  keyId: 'sg_1',
  budget: null,
  usage: 8_000_000_000n,
  limit: 10_000_000_000n,
} as const;
const EVENTS: readonly GatewayEvent[] = [
  { ...budget, type: 'budget_threshold', threshold: '0.8', windowEndsAtMs: null },
  { ...budget, type: 'budget_exhausted', wanted: 3_000_000_000n, rest: 2_000_000_000n, windowEndsAtMs: null },
  {
    ...budget,
    type: 'budget_threshold',
    subject: 'budget',
    keyId: null,
    budget: 'team:research',
    threshold: '1',
    windowEndsAtMs: null,
  },
  { ...common, organizationId: 'globex', type: 'credits_low', balance: 4_000_000_000n, below: 5_000_000_000n },
];

it('keeps the last alerts, the newest first, for those who may see their organization', () => {
  const alerts = new LastAlerts();
  for (const event of EVENTS) alerts.add(event);
  alerts.add({ type: 'holds_expired', atMs: NOW_MS, count: 1 });
  expect(alerts.read(() => true).map(({ type, message }) => [type, message])).toEqual([
    ['credits_low', 'has $4 left, less than $5'],
    ['budget_threshold', 'used $8 of $10 of the budget team:research and reached 100 %'],
    ['budget_exhausted', 'used $8 of $10 and was refused'],
    ['budget_threshold', 'used $8 of $10 and reached 80 %'],
  ]);
  expect(alerts.read((id) => id === 'acme').map(({ key_id }) => key_id)).toEqual([null, 'sg_1', 'sg_1']);
});

it('keeps twenty', () => {
  const alerts = new LastAlerts();
  for (let index = 0; index < 25; index += 1) for (const event of EVENTS) alerts.add(event);
  expect(alerts.read(() => true)).toHaveLength(20);
});
