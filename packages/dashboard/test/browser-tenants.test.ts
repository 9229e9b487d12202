import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const browser = useBrowser();
const KEY = 'vendor-key-of-acme-9f3a';

/** Opens the keys of "acme". */
async function openAcme(stage: Stage, user: string) {
  await stage.administration.organizations.create({ id: 'acme' });
  const opened = await openPage(browser(), `${stage.url}/#/keys?organization=acme`, { user });
  const { page } = opened;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const saved = () => page.getByRole('dialog').waitFor({ state: 'detached' });
  return { ...opened, press, field, saved };
}

it('lets a tenant set, replace and delete its own keys at providers, without showing them', async () => {
  const stage = await openStage();
  const { page, press, field, complaints, requested } = await openAcme(stage, 'tenant');
  await page.getByText('No own keys at providers.').waitFor();
  await press('Set an own key');
  await field('Provider').fill('exo');
  expect([await field('Key').getAttribute('type'), await field('Key').getAttribute('autocomplete')]).toEqual([
    'password',
    'off',
  ]);
  await field('Key').fill(` ${KEY}`);
  await press('Save');
  await page.getByRole('alert').getByText('expected one of exa, perplexity').waitFor();
  await field('Provider').fill('exa');
  await press('Save');
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'exa', exact: true }) });
  await row.getByRole('cell', { name: '9f3a', exact: true }).waitFor();
  await press('Change exa');
  expect(await field('Key').inputValue()).toBe('');
  await field('Key').fill('short');
  await press('Save');
  await row.getByRole('cell', { name: '–', exact: true }).waitFor();
  expect(await page.content()).not.toContain('vendor-key');
  expect(requested.join('\n')).not.toContain('vendor-key');
  await press('Delete exa');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No own keys at providers.').waitFor();
  // Chromium logs the refusal.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

it('sets the domains of an organization and of a key, and shows them', async () => {
  const stage = await openStage();
  const { page, press, field, saved } = await openAcme(stage, 'operator');
  await press('Set limits');
  await field('Domains').selectOption('only');
  await field('One domain a line').fill('https://example.org');
  await press('Save');
  await page.getByRole('alert').getByText('host names').waitFor();
  await field('One domain a line').fill('Example.org\nbücher.example\n');
  await press('Save');
  await page.getByText('only example.org, xn--bcher-kva.example').waitFor();
  await press('Create a key');
  await field('Label').fill('web-shop');
  await field('Domains').selectOption('never');
  await field('One domain a line').fill('blog.example.org');
  await press('Create');
  await press('I have stored it');
  await page.getByRole('link', { name: 'web-shop' }).click();
  await page.getByRole('definition').getByText('never blog.example.org').waitFor();
  await press('Change');
  expect(await field('One domain a line').inputValue()).toBe('blog.example.org');
  await field('Domains').selectOption('');
  await press('Save');
  await saved();
  const { items } = await stage.administration.apiKeys.list();
  expect(items.map(({ domains }) => domains)).toEqual([null]);
});

it('offers a tenant no rule for its organization, and a viewer no key', async () => {
  const stage = await openStage();
  const domains = { only: ['example.org'] };
  await stage.administration.organizations.create({ id: 'acme', domains });
  await stage.administration.tenantKeys?.set('acme', 'exa', KEY);
  const { press, field, saved } = await openAcme(stage, 'tenant');
  await press('Set limits');
  expect(await field('Domains').count()).toBe(0);
  await field('Requests at once').fill('4');
  await press('Save');
  await saved();
  expect(await stage.administration.organizations.get('acme')).toMatchObject({ domains, maxConcurrent: 4 });
  const { page } = await openAcme(stage, 'viewer');
  await page.getByRole('rowheader', { name: 'exa', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /own key|Change|Delete/ }).count()).toBe(0);
});
