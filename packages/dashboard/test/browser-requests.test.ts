import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';

const browser = useBrowser();

/** How many calls are shown. */
const shown = async (page: Page, caption: string) => page.getByText(`${caption} requests, newest first`).waitFor();

it('finds the calls of an hour by outcome and key, keeps filters in the address, and opens their attempts', async () => {
  const stage = await openStage();
  const { administration } = stage;
  const { secret, key } = await administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
  const poor = await administration.apiKeys.create({ organizationId: 'acme', label: 'poor', limit: '0.001' });
  for (const apiKey of [secret, secret, poor.secret]) await stage.ask(apiKey);

  const { page, complaints } = await openPage(browser(), `${stage.url}/#/requests`);
  await shown(page, '3');
  await page.getByLabel('Outcome', { exact: true }).selectOption('402');
  await page.getByText('402 key_limit_reached').waitFor();
  await shown(page, '1');
  expect(page.url()).toContain('#/requests?status=402');

  await page.getByLabel('Outcome', { exact: true }).selectOption('');
  await page.getByText('More filters').click();
  await page.getByLabel('Key', { exact: true }).fill(key.id);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await shown(page, '2');
  await page.reload();
  await shown(page, '2');

  await page
    .getByRole('button', { name: /attempts of req_/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Attempts, in their order').waitFor();
  expect(await dialog.getByRole('row').nth(1).innerText()).toMatch(/^exa\/answer\s+answered/);
  expect(await dialog.innerText()).toContain('Charged $0.005, owed to providers $0.005, lost $0.00.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });

  // What comes while the view is open.
  await stage.ask(secret);
  await shown(page, '3');
  expect(complaints).toEqual([]);
});

it('says that no call fits, and names a wrong filter of a link', async () => {
  const { url } = await openStage();
  const { page } = await openPage(browser(), `${url}/#/requests`);
  await page.getByText('No request fits.').waitFor();
  await page.goto(`${url}/#/requests?status=999`);
  await page.reload();
  await page.getByRole('alert').getByText('must be 2, 4 or 5 for a hundred').waitFor();
});
