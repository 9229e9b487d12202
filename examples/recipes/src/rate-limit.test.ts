import { expect, it } from 'vitest';
import { rateLimitPerKey } from './rate-limit.js';
import { SECRET, serve, startGateway } from './test-gateway.js';

it('limits each key separately, with errors in the gateway’s shape', async () => {
  const { gateway, administration } = startGateway();
  const { secret: other } = await administration.apiKeys.create({ organizationId: 'acme', label: 'other' });
  const server = await serve(gateway, [rateLimitPerKey(2)]);
  const credits = (key: string) =>
    fetch(`${server.url}/api/v1/credits`, { headers: { authorization: `Bearer ${key}`, connection: 'close' } });

  expect([(await credits(SECRET)).status, (await credits(SECRET)).status]).toEqual([200, 200]);
  const refused = await credits(SECRET);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: { reason: 'too_many_requests', retryable: true } });
  expect((await credits(other)).status).toBe(200);
  await server.close();
  await gateway.close();
});
