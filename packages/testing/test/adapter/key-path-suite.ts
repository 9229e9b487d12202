import { createGateway, type Gateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { searxng } from '@searchgate/dialects';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpUnderTest } from '../../src/index.js';
import { everyPort } from '../every-port.js';

/** Every character of a bearer token but letters and digits, and a percent sign that must not be decoded twice. */
const KEY = `sk-0123456789/!"#$%&'()*+-./:;<=>?@[\\]^_\`{|}~%41`;
const encoded = encodeURIComponent(KEY);
/** As it may stand in an address: the characters of RFC 3986 for a segment. */
const bare = encoded.replace(/%(?:24|26|2B|3A|3B|3D|40)/g, decodeURIComponent);

/**
 * The path that carries a key, over a host.
 *
 * @param start mounts a gateway below the prefix.
 */
export function keyPathSuite(
  prefix: string,
  start: (gateway: Gateway) => Promise<HttpUnderTest> | HttpUnderTest,
): void {
  describe(`a key in the path below "${prefix}"`, () => {
    it.each([
      ['is read, percent-encoded', encoded, 200],
      ['is read as it may stand in an address', bare, 200],
      ['is read from codes in lower case', encoded.replace(/%../g, (code) => code.toLowerCase()), 200],
      ['is decoded once', encodeURIComponent(encoded), 401],
      ['may be encoded wrongly', '%zz', 401],
      ['may not be empty', '', 401],
      ['is one segment', `${encoded}/a`, 404],
    ])('%s', async (_what, segment, status) => {
      const keys = { id: 'key', label: 'a', organizationId: 'acme', limit: '1.00', allowedModels: ['stub/web'] };
      const gateway = createGateway({
        providers: [everyPort],
        ledger: memoryLedger({ credits: { acme: '1' } }),
        apiKeys: memoryApiKeys([{ ...keys, apiKey: KEY }]),
        endpoints: { searxng: searxng({ search: 'stub/web', keyInPath: true }) },
      });
      const host = await start(gateway);
      onTestFinished(async () => {
        await host.stop();
        await gateway.close();
      });
      for (const method of ['GET', 'POST']) {
        const target = `${prefix}/api/v1/searxng/${segment}/search?q=a%2Fb&format=json`;
        const response = await host.send({ method, target, headers: {}, body: null }).response;
        const isServed = Buffer.from(response.body).includes('"query":"a/b"');
        expect([response.status, isServed]).toEqual([status, status === 200]);
      }
    });
  });
}
