import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';

const browser = useBrowser();

it('finds keys by text, state and use, keeps this in the address, and opens a key with its spending and its requests', async () => {
  const stage = await openStage();
  const { apiKeys, organizations } = stage.administration;
  await organizations.create({ id: 'acme' });
  const shop = await apiKeys.create({ organizationId: 'acme', label: 'web-shop', limit: '25.00' });
  const { key: old } = await apiKeys.create({ organizationId: 'acme', label: 'old-shop' });
  await apiKeys.create({ organizationId: 'acme', label: 'nightly', limit: '90.00' });
  await apiKeys.revoke(old.id);
  await stage.ask(shop.secret);

  const { page, complaints } = await openPage(browser(), `${stage.url}/#/keys`);
  const labels = () => page.getByRole('region', { name: 'Keys of all' }).getByRole('rowheader').allInnerTexts();
  await page.getByRole('rowheader', { name: 'nightly' }).waitFor();
  expect((await labels())[0]).toBe('web-shop');
  await page.getByLabel('Sort by', { exact: true }).selectOption('limit');
  await page.getByRole('row').nth(1).getByText('nightly').waitFor();
  const search = page.getByLabel('Search', { exact: true });
  await search.fill('hop');
  await search.press('Home');
  await search.press('s');
  await page.getByRole('rowheader', { name: 'nightly' }).waitFor({ state: 'detached' });
  // The list follows without Enter; focus and caret stay.
  await search.press('x');
  await page.getByText('No key fits.').waitFor();
  await search.press('Backspace');
  await page.getByRole('rowheader', { name: 'web-shop' }).waitFor();
  expect(await search.inputValue()).toBe('shop');
  await page.getByLabel('State', { exact: true }).selectOption('revoked');
  await page.getByRole('rowheader', { name: 'web-shop' }).waitFor({ state: 'detached' });
  expect(await labels()).toEqual(['old-shop']);
  expect(page.url()).toMatch(/#\/keys\?sort=limit&search=shop&state=revoked$/);
  await page.reload();
  await page.getByRole('rowheader', { name: 'old-shop' }).waitFor();
  expect(await page.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe(
    'api/v1/keys.csv?search=shop&state=revoked&sort=limit',
  );

  await page.getByLabel('State', { exact: true }).selectOption('');
  await page.getByRole('link', { name: 'web-shop' }).click();
  await page.getByRole('heading', { name: 'web-shop' }).waitFor();
  await page.getByRole('row', { name: 'exa/answer 1 $0.005' }).waitFor();
  await page.getByRole('img', { name: 'Chart: charged by day for this key' }).waitFor();
  await page.getByRole('link', { name: 'Requests of this key' }).click();
  await page.getByText('1 requests, newest first').waitFor();
  expect(page.url()).toContain(`#/requests?key=${shop.key.id}`);
  expect(complaints).toEqual([]);
});

it('gives the focus back to the opener after the secret is stored', async () => {
  const stage = await openStage();
  await stage.administration.organizations.create({ id: 'acme' });
  const { page } = await openPage(browser(), `${stage.url}/#/keys?organization=acme`);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Label', { exact: true }).fill('web-shop');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The focus moves behind the next render.
  await page.waitForFunction("document.activeElement.innerText === 'Create a key'");
});

it('shows spending by key with labels, the most first, and keeps the filters in the address', async () => {
  const stage = await openStage();
  const { apiKeys } = stage.administration;
  const little = await apiKeys.create({ organizationId: 'acme', label: 'little' });
  const much = await apiKeys.create({ organizationId: 'acme', label: 'much' });
  for (const { secret } of [little, much, much]) await stage.ask(secret);
  const { page } = await openPage(browser(), `${stage.url}/#/explore`);
  await page.getByLabel('Split by', { exact: true }).selectOption('key');
  const table = page.getByRole('region', { name: /^Calls, / });
  await table.getByRole('rowheader', { name: 'much' }).waitFor();
  const names = await table.getByRole('rowheader').allInnerTexts();
  expect(names.slice(0, 2)).toEqual(['much (acme)', 'little (acme)']);
  expect(page.url()).toMatch(/#\/explore\?by=key$/);
});

it('remembers the last questions of the tab, without the key', async () => {
  const { url } = await openStage();
  const { page } = await openPage(browser(), `${url}/#/playground`);
  await page.getByLabel('Question', { exact: true }).fill('When did it open?');
  await page.getByText('Options', { exact: true }).click();
  await page.getByLabel('Published within', { exact: true }).selectOption('week');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('Complete, with 3 sources.').waitFor();
  await page.reload();
  await page.getByText('Last questions of this tab · 1').click();
  await page.getByRole('button', { name: 'When did it open?' }).click();
  expect(await page.getByLabel('Question', { exact: true }).inputValue()).toBe('When did it open?');
  await page.getByText('Options · 1').waitFor();
  expect(await page.evaluate("sessionStorage.getItem('searchgate-asked')")).not.toContain('apiKey');
});
