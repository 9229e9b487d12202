import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { afterAll, expect, it } from 'vitest';
import { buildGateway } from './build-gateway.js';
import type { ServerConfig } from './config-file.js';
import { createProviders } from './create-providers.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-verified-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'verified.json');

/** The days of Exa's models. */
async function daysWith(content: string | null, models: ServerConfig['models'] = {}) {
  if (content !== null) writeFileSync(file, content);
  const config: ServerConfig = { models, ...(content !== null && { verified: file }) };
  const providers = createProviders({ EXA_API_KEY: 'a-key-of-an-account' }, {}, []);
  const gateway = await buildGateway(config, {
    providers,
    ledger: memoryLedger(),
    apiKeys: memoryApiKeys(),
    requests: memoryRequestLog(),
  });
  await gateway.close();
  const called = gateway.models().filter(({ verifiedAt }) => verifiedAt !== null);
  return Object.fromEntries(called.map(({ id, name, verifiedAt }) => [id, `${verifiedAt} ${name}`]));
}

const seen = (verdict: string, day = '2026-11-29') => ({ day, version: '0.1.0', verdict });

it('has the day of each model without a fault, beside the other changes of the file', async () => {
  const verified = {
    'exa/answer': seen('ok'),
    'exa/auto': seen('warning', '2026-11-28'),
    'exa/contents': seen('fault'),
    'exa/answer-deep': seen('ok'),
    'exa/lite': seen('ok'),
    'you/gone': seen('ok'),
  };
  const models = {
    'exa/auto': { name: 'Ours' },
    'exa/lite': { hidden: true },
    'exa/answer-deep': { verifiedAt: '2026-12-01' },
  };
  expect(await daysWith(JSON.stringify(verified), models)).toEqual({
    'exa/answer': '2026-11-29 Exa Answer',
    'exa/auto': '2026-11-28 Ours',
    'exa/answer-deep': expect.stringMatching(/^2026-12-01 /),
  });
  expect(await daysWith(null)).toEqual({});
});

it.each([
  '[]',
  '{"exa/answer":true}',
  `{"exa/answer":${JSON.stringify(seen('fine'))}}`,
  `{"exa/answer":${JSON.stringify(seen('ok', 'today'))}}`,
])('refuses a file of %s', async (content) => {
  await expect(daysWith(content)).rejects.toThrow(
    `verified: found ${JSON.stringify(file)}, expected what \`searchgate verify --record\` writes`,
  );
});

it('names the field where the file is missing or no JSON', async () => {
  await expect(daysWith('{')).rejects.toThrow('verified: found no JSON from line 1');
});
