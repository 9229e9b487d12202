import { expect, it } from 'vitest';
import { createAdminLedger } from '../../../test/kit/admin-ledger.js';

it('erases questions and answers of an organization, of a key or of a tag, without naming the tag afterwards', async () => {
  const admin = await createAdminLedger();
  const text = { atMs: 1, organizationId: 'acme', question: 'Who?', answer: null, isCut: false };
  await admin.use((ledger) =>
    ledger.requests.texts.append([
      { ...text, requestId: 'req_1', keyId: 'key-1', tag: 'ada' },
      { ...text, requestId: 'req_2', keyId: 'key-2', tag: 'ada' },
      { ...text, requestId: 'req_3', keyId: 'key-2', tag: null },
      { ...text, requestId: 'req_4', keyId: 'key-3', tag: null },
      { ...text, requestId: 'req_5', keyId: 'key-3', tag: 'ada', organizationId: 'globex' },
    ]),
  );
  const erase = (...options: string[]) => admin.run('erase', '--org', 'acme', ...options);
  const refused = await erase('--tag', 'ada');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--key and --tag need --texts')]);
  for (const [options, texts] of [
    [['--tag', 'ada'], 2],
    [['--key', 'key-2'], 1],
    [[], 1],
    [[], 0],
  ] as const)
    expect((await erase('--texts', ...options, '--json')).json()).toEqual({ texts });
  expect(await admin.use((ledger) => ledger.requests.texts.find(['req_1', 'req_5']))).toMatchObject([
    { requestId: 'req_5' },
  ]);
  const { stdout } = await admin.run('changes', '--json');
  expect(stdout.match(/texts\.erase/g)).toHaveLength(4);
  expect(stdout).not.toContain('ada');
  admin.remove();
});
