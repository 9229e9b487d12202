import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Gateway, type Ledger, memoryLedger } from '@searchgate/core';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import type { Request } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildApp } from './app.js';
import { createSearchGateway } from './search-gateway.js';
import { createUsers } from './users.js';

const documents = [
  {
    source: 'shop',
    url: 'https://example.org/shop.md',
    markdown: '# Shop\n\n## Opening hours\n\nThe shop opens at `<nine>`.',
  },
];
const token = 'a-token-of-the-script-of-alice';
const users = createUsers([
  { id: '1', name: 'alice', team: 'shop', plan: 'full', password: 'wonderland', token },
  { id: '2', name: 'bob', team: 'shop', plan: 'trial', password: 'builder' },
]);

describe('an application with a gateway inside', () => {
  let ledger: Ledger;
  let gateway: Gateway<Request>;
  let server: Server;
  let url = '';
  let warnings: string[] = [];

  beforeEach(async () => {
    ledger = memoryLedger({ credits: { shop: '10.00' } });
    warnings = [];
    const note = (_fields: Record<string, unknown>, message: string) => void warnings.push(message);
    const providers = [localDocs({ documents, price: '0.004' })];
    gateway = createSearchGateway({ providers, ledger, users, logger: { warn: note, error: note } });
    const app = buildApp({ users, gateway });
    server = await new Promise<Server>((resolve) => {
      const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      cookie: response.headers.get('set-cookie') ?? '',
      body: await response.json(),
    };
  }
  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(url + path, { headers });
    return { status: response.status, body: await response.json() };
  }
  async function logIn(name: string, password: string): Promise<{ cookie: string }> {
    const { status, cookie } = await post('/login', { name, password });
    expect(status).toBe(200);
    return { cookie: cookie.split(';')[0] ?? '' };
  }
  const ask = (headers: Record<string, string> = {}, query = 'When does the shop open?') =>
    post('/search/api/v1/answer', { model: 'local/docs', query }, headers);

  it('answers a logged-in user under the mount path, and meters them', async () => {
    const alice = await logIn('alice', 'wonderland');
    expect(await ask(alice)).toMatchObject({ status: 200, body: { model: 'local/docs', usage: { cost: 0.004 } } });
    expect(await get('/search/api/v1/key', alice)).toEqual({
      status: 200,
      body: {
        label: 'alice',
        usage: 0.004,
        limit: null,
        limit_remaining: null,
        limit_reset: null,
        resets_at: null,
        rate_limit: null,
        max_concurrent: null,
      },
    });
    expect(await get('/search/api/v1/credits', alice)).toEqual({
      status: 200,
      body: { total_credits: 10, total_usage: 0.004 },
    });
  });

  it("knows a user's script by its token, as the same key", async () => {
    await ask({ authorization: `Bearer ${token}` });
    expect(await get('/search/api/v1/key', await logIn('alice', 'wonderland'))).toMatchObject({
      body: { label: 'alice', usage: 0.004 },
    });
  });

  it('lets a trial spend only its limit, whatever the team has left', async () => {
    const bob = await logIn('bob', 'builder');
    expect([(await ask(bob)).status, (await ask(bob)).status]).toEqual([200, 200]);
    expect(await ask(bob)).toMatchObject({ status: 402, body: { error: { reason: 'key_limit_reached' } } });
    expect(await ask(await logIn('alice', 'wonderland'))).toMatchObject({ status: 200 });
  });

  it('refuses strangers, unknown tokens and ended sessions in its own words', async () => {
    const refused = { status: 401, body: { error: { reason: 'not_authenticated' } } };
    expect(await ask()).toMatchObject(refused);
    expect(await ask({ authorization: 'Bearer another-user' })).toMatchObject(refused);
    const alice = await logIn('alice', 'wonderland');
    await post('/logout', {}, alice);
    expect(await ask(alice)).toMatchObject(refused);
  });

  it('leaves the routes, the 404 page and the error handler of the application alone', async () => {
    expect(await get('/account')).toEqual({ status: 401, body: { oops: 'Please log in.' } });
    expect(await get('/account', await logIn('alice', 'wonderland'))).toMatchObject({
      status: 200,
      body: { name: 'alice' },
    });
    expect(await post('/login', { name: 'alice', password: 'guess' })).toMatchObject({
      status: 401,
      body: { oops: 'Wrong name or password.' },
    });
    expect(await get('/search/elsewhere')).toEqual({ status: 404, body: { oops: 'No such page.' } });
    expect(await get('/api/v1/models')).toEqual({ status: 404, body: { oops: 'No such page.' } });
  });

  it('never lets an error of the gateway reach the error handler of the application', async () => {
    const alice = await logIn('alice', 'wonderland');
    await ledger.close();
    expect(await ask(alice)).toMatchObject({ status: 503, body: { error: { reason: 'ledger_unavailable' } } });
  });

  it('asks for its reader on a page made on the server, and escapes what it shows', async () => {
    const alice = await logIn('alice', 'wonderland');
    const page = await (
      await fetch(`${url}/help?q=${encodeURIComponent('When does the shop "open"?')}`, { headers: alice })
    ).text();
    expect(page).toContain('value="When does the shop &quot;open&quot;?"');
    expect(page).toContain('The shop opens at `&lt;nine>`. [1]');
    expect(page).toContain('<a href="https://example.org/shop.md#opening-hours">shop › Opening hours</a>');
    expect(page).toContain('This answer cost $0.004.');
    expect(await get('/search/api/v1/key', alice)).toMatchObject({ body: { usage: 0.004 } });
  });

  it('says on that page why there is no answer', async () => {
    const alice = await logIn('alice', 'wonderland');
    const page = await (await fetch(`${url}/help?q=Who+built+the+pyramids`, { headers: alice })).text();
    expect(page).toContain('<p role="alert">No source was found that answers this query.</p>');
    expect((await fetch(`${url}/help`)).status).toBe(401);
  });
});
