import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../test/kit/admin-ledger.js';

let admin: AdminLedger;
beforeAll(async () => {
  admin = await createAdminLedger();
});
afterAll(() => {
  admin.remove();
});

describe('a command with a period', () => {
  it.each([
    ['usage', '2026-11-02', '2026-11-01'],
    ['usage', '2026-11-01', '2026-11-01'],
    ['entries export', '2026-11-02', '2026-11-01'],
    ['entries export', '2026-11-01T12:00:00+02:00', '2026-11-01T10:00:00Z'],
  ])('names both options of an empty period: %s since %s until %s', async (command, since, until) => {
    const { code, stdout, stderr } = await admin.run(...command.split(' '), '--since', since, '--until', until);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: option '--until' \(2026-11-01.*\) must be after '--since' \(2026-11-0.*\): /);
  });

  it.each(['usage', 'entries export'])('runs for a period with an end after its start: %s', async (command) => {
    const range = ['--since', '2026-11-01', '--until', '2026-11-02'];
    expect((await admin.run(...command.split(' '), ...range)).code).toBe(0);
  });
});
