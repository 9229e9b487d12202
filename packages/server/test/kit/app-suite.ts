import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/service.js';

const GUIDE = '# Guide\n\n## Opening hours\n\nThe shop opens at nine.\n';

/** Tests of a standalone example, for any framework. */
export function appSuite(name: string, buildHandler: (service: Service) => RequestListener): void {
  describe(`the ${name} application`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'searchgate-app-'));
    const server = createServer();
    let service: Service;
    let url = '';
    let secret = '';

    beforeAll(async () => {
      writeFileSync(join(folder, 'guide.md'), GUIDE);
      service = await createService(environmentOf(folder));
      server.on('request', buildHandler(service));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      secret = /sg_[0-9a-f]{12}_[\w-]+/.exec(service.notice(url))?.[0] ?? '';
    });
    afterAll(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    });

    it('lets the openai client list the models', async () => {
      const client = new OpenAI({ apiKey: secret, baseURL: `${url}/api/v1` });
      const { data } = await client.models.list();
      expect(data.find(({ id }) => id === 'local/docs')).toMatchObject({
        category: 'answer',
        pricing: { unit: 'USD', request: '0.001' },
      });
      const ids: string[] = [];
      for await (const { id } of client.models.list()) ids.push(id);
      expect(ids).toEqual(data.map(({ id }) => id));
    });

    const ask = (body: string) =>
      fetch(`${url}/api/v1/answer`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body,
      });

    it('answers the question it proposes', async () => {
      const proposed = /ask answer '(\{.*\})'/.exec(service.notice(url))?.[1] ?? '';
      expect(proposed).toContain('Opening hours?');
      expect((await ask(proposed)).status).toBe(200);
    });

    it('answers from the given folder, with citations to pages it serves itself', async () => {
      const response = await ask(JSON.stringify({ model: 'local/docs', query: 'When does the shop open?' }));
      const { answer, citations } = (await response.json()) as { answer: string; citations: { url: string }[] };
      expect(answer).toBe('Guide › Opening hours: The shop opens at nine. [1]');
      expect(citations).toHaveLength(1);
      const { pathname, hash } = new URL(citations[0]?.url ?? '');
      expect(pathname + hash).toBe('/docs/guide.md#opening-hours');

      const page = await fetch(url + pathname);
      expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await page.text()).toBe(GUIDE);
    });

    it('serves nothing else, and no file outside the documents', async () => {
      for (const path of ['/', '/docs/', '/docs/other.md', '/docs/..%2f..%2fetc%2fpasswd', '/api/v2/answer']) {
        expect((await fetch(url + path)).status).toBe(404);
      }
    });

    it('is healthy all the time, and ready until it closes', async () => {
      const look = async (path: string) => {
        const response = await fetch(url + path);
        return [response.status, response.headers.get('cache-control'), await response.json()];
      };
      expect(await look('/healthz')).toEqual([200, 'no-store', { status: 'ok' }]);
      expect(await look('/readyz')).toEqual([200, 'no-store', { status: 'ready' }]);

      await service.close();
      expect(await look('/healthz')).toEqual([200, 'no-store', { status: 'ok' }]);
      const closing = { status: 'not_ready', reason: 'shutting_down' };
      expect(await look('/readyz')).toEqual([503, 'no-store', closing]);
      const refused = await fetch(`${url}/api/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
      expect([refused.status, await refused.json()]).toMatchObject([503, { error: { reason: 'shutting_down' } }]);
    });
  });
}

const environmentOf = (folder: string) => ({
  SEARCHGATE_DOCS_DIR: folder,
  SEARCHGATE_LEDGER: `sqlite:${join(folder, 'money.db')}`,
  SEARCHGATE_LOG_LEVEL: 'silent',
});
