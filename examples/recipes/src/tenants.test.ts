import { expect, it } from 'vitest';
import { addTenant } from './tenants.js';
import { MODEL, startGateway } from './test-gateway.js';

it('gives each customer credits and a key', async () => {
  const { gateway, administration } = startGateway();
  const tenant = { id: 'globex', name: 'Globex', credits: '0.05', monthlyLimit: '0.01' };
  const secret = await addTenant(administration, tenant);
  const ask = () => gateway.answer({ apiKey: secret, model: MODEL, query: 'How much leave do I get?' });

  expect(await ask()).toMatchObject({ usage: { cost: 0.01 } });
  await expect(ask()).rejects.toMatchObject({ reason: 'key_limit_reached' });
  expect(await administration.organizations.get('globex')).toMatchObject({ credits: 50_000_000n, usage: 10_000_000n });
  expect(await administration.organizations.get('acme')).toMatchObject({ usage: 0n });
  await addTenant(administration, tenant);
  expect(await administration.organizations.get('globex')).toMatchObject({ credits: 50_000_000n });
  await gateway.close();
});
