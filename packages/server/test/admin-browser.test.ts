import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPage, useBrowser } from '../../dashboard/test/browser/page.js';
import { type SpawnedServer, spawnServer } from './kit/spawn-server.js';

/** The program of `npm start`. */
const SERVER = new URL('../../../examples/express-standalone/src/server.ts', import.meta.url);
const BUILD_PAGE = fileURLToPath(new URL('../../../tools/scripts/build-page-if-needed.mjs', import.meta.url));
const SLOW_MS = 120_000;

const browser = useBrowser();
beforeAll(() => void execFileSync(process.execPath, [BUILD_PAGE]), SLOW_MS);

const view = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Log in');
}

function passwordOf({ stdout }: SpawnedServer): string {
  const [, password] = /password \(shown once\): (\S+)/.exec(stdout()) ?? [];
  if (password === undefined) throw new Error('the server has shown no password');
  return password;
}

async function statusOf(url: string, secret: string): Promise<number> {
  return (await fetch(`${url}/api/v1/key`, { headers: { authorization: `Bearer ${secret}` } })).status;
}

describe('the page of the standalone server', { timeout: SLOW_MS }, () => {
  it('answers a question, shows its cost, and makes and revokes a key, all behind the password', async () => {
    const server = await spawnServer(SERVER);
    const { page, complaints, requested } = await openPage(browser(), `${server.url}/admin`);
    expect(page.url()).toBe(`${server.url}/admin/login`);
    await logIn(page, 'wrong');
    await page.getByRole('alert').getByText('This password is wrong.').waitFor();
    await logIn(page, passwordOf(server));
    await page.getByText('page (operator)', { exact: true }).waitFor();

    await view(page, 'Playground');
    await page.getByLabel('Question', { exact: true }).fill('How do I add a provider key?');
    await press(page, 'Ask');
    await page
      .getByRole('region', { name: 'Answer' })
      .getByText(/^Complete, with \d+ sources?\.$/)
      .waitFor();
    await page.getByRole('region', { name: 'Figures' }).getByText('$0.001', { exact: true }).waitFor();

    await view(page, 'Keys');
    await press(page, 'Create a key');
    await page.getByRole('dialog').getByLabel('Organization', { exact: true }).fill('demo');
    await page.getByLabel('Label', { exact: true }).fill('tried out');
    await page.getByLabel('Limit in USD', { exact: true }).fill('1');
    await press(page, 'Create');
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await press(page, 'I have stored it');
    expect(await statusOf(server.url, secret)).toBe(200);
    await press(page, 'Revoke tried out');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: /^revoked/ }).waitFor();
    expect(await statusOf(server.url, secret)).toBe(401);

    // Behind the keys: the log is written behind the calls, and the view does not follow them.
    await view(page, 'Explore');
    await page.getByRole('row').filter({ hasText: 'local/docs' }).getByText('$0.0010').first().waitFor();

    await press(page, 'Sign out');
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.goto(`${server.url}/admin`);
    expect(page.url()).toBe(`${server.url}/admin/login`);

    expect(requested.filter((url) => new URL(url).origin !== server.url)).toEqual([]);
    // Chromium logs the 401 of the refused password, and the 404 of an organization that does not exist.
    expect(complaints.filter((text) => !/40[14]/.test(text))).toEqual([]);
  });

  it('shows nothing without a session', async () => {
    const server = await spawnServer(SERVER);
    for (const path of ['api/v1/session', 'api/v1/keys', 'assets/index.js', 'api/v1/requests', 'nothing']) {
      expect((await fetch(`${server.url}/admin/${path}`, { redirect: 'manual' })).status).toBe(404);
    }
    expect((await fetch(`${server.url}/admin/`, { redirect: 'manual' })).status).toBe(303);
  });
});
