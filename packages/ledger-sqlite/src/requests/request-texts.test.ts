import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NOW_MS } from '../../test/every-operation.js';
import { createStorage } from '../../test/storage.js';

it('leaves nothing of erased texts in the file', async () => {
  const storage = createStorage();
  const { requests } = await storage.connect();
  const text = { organizationId: 'acme', keyId: 'key', tag: null, answer: null, isCut: false, atMs: NOW_MS };
  for (const requestId of ['a', 'b'])
    await requests.texts.append([{ ...text, requestId, question: 'planted '.repeat(5_000) }]);
  const checkpoint = () => storage.open().prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  const isInFile = () => readFileSync(storage.file).includes('planted');
  checkpoint();
  expect(isInFile()).toBe(true);
  expect(await requests.texts.erase({ organizationId: 'acme' })).toBe(2);
  checkpoint();
  expect(isInFile()).toBe(false);
  await storage.dispose();
});
