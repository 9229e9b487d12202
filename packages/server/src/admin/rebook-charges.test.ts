import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryLedger } from '@searchgate/core';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/kit/spawn-server.js';
import { rebookCharges } from './rebook-charges.js';

const CHARGE = {
  type: 'request_finished',
  atMs: Date.UTC(2026, 10, 26),
  answerId: 'ans_1',
  organizationId: 'acme',
  keyId: 'key',
  model: 'local/docs',
  provider: 'local',
  cost: '0.001',
  upstreamCost: null,
  cache: null,
  joined: false,
  tag: null,
};

function fileOf(lines: readonly string[]): string {
  const file = join(temporaryFolder(), 'log');
  writeFileSync(file, lines.join('\n'));
  return file;
}

it('reads more charges than a call has room for arguments', { timeout: 60_000 }, async () => {
  const lines = Array.from({ length: 150_000 }, (_, index) => JSON.stringify({ ...CHARGE, answerId: `ans_${index}` }));
  const found = await rebookCharges(memoryLedger(), fileOf(lines), { dryRun: true });
  expect(found).toMatchObject({ charges: 150_000, missing: 150_000, amount: 150_000_000_000n, booked: 0 });
});
