import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const browser = useBrowser();
const KEY = 'vendor-key-of-acme-9f3a';
const HOSTS = 'One domain a line, with all hosts below it';

/** Opens the page of "acme". */
async function openAcme(stage: Stage, user: string) {
  await stage.administration.organizations.create({ id: 'acme' });
  const opened = await openPage(browser(), `${stage.url}/#/organizations?organization=acme`, { user });
  const { page } = opened;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const save = async () => {
    await press('Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  return { ...opened, press, field, save };
}

it('lets a tenant set, replace and delete its own provider keys, without showing them, and no domains of its organization', async () => {
  const stage = await openStage();
  const { page, press, field, save, complaints, requested } = await openAcme(stage, 'tenant');
  await page.getByText('No provider keys of its own.').waitFor();
  await press('Set a provider key');
  await field('Provider').selectOption('perplexity');
  const attributes = ['type', 'autocomplete'].map((name) => field('Key').getAttribute(name));
  expect(await Promise.all(attributes)).toEqual(['password', 'off']);
  await field('Key').fill('vendor key');
  await press('Save');
  await page.getByRole('alert').getByText('no spaces').waitFor();
  await field('Key').fill(` ${KEY}`);
  await save();
  await page.getByRole('row', { name: 'perplexity 9f3a' }).waitFor();
  expect((await page.content()) + requested.join()).not.toContain('vendor-key');
  await press('Change perplexity');
  expect(await field('Key').inputValue()).toBe('');
  await field('Key').fill('short');
  await save();
  await page.getByRole('row', { name: 'perplexity –' }).waitFor();
  await press('Delete perplexity');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No provider keys of its own.').waitFor();
  await stage.administration.organizations.update('acme', { domains: { only: ['example.org'] } });
  await press('Set limits');
  expect(await field('Domains').count()).toBe(0);
  await field('Requests at once').fill('4');
  await save();
  await page.getByText('4 at once', { exact: true }).waitFor();
  await page.getByText('only example.org', { exact: true }).waitFor();
  // Chromium logs the refusal.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

it('sets the domains of an organization and of a key, and shows them', async () => {
  const { page, press, field, save } = await openAcme(await openStage(), 'operator');
  await press('Set limits');
  await field('Domains').selectOption('only');
  await field(HOSTS).fill('https://example.org');
  await press('Save');
  await page.getByRole('alert').getByText('host names').waitFor();
  await field(HOSTS).fill('Example.org\nbücher.example\n');
  await save();
  await page.getByText('only example.org, xn--bcher-kva.example').waitFor();
  await page.getByRole('link', { name: '0 keys' }).click();
  await press('Create a key');
  await field('Label').fill('web-shop');
  await field('Domains').selectOption('never');
  await field(HOSTS).fill('a.example b.example,c.example\nd.example e.example');
  await press('Create');
  await press('I have stored it');
  await page.getByRole('link', { name: 'web-shop' }).click();
  await page.getByText('never 5 domains').click();
  await page.getByText('a.example, b.example, c.example, d.example, e.example').waitFor();
  await press('Change web-shop');
  expect(await field(HOSTS).inputValue()).toBe('a.example\nb.example\nc.example\nd.example\ne.example');
  await field('Domains').selectOption('');
  await save();
  await page.getByText('never 5 domains').waitFor({ state: 'detached' });
});
