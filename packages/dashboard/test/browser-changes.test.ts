import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';

const browser = useBrowser();

it('lets the operator pay for an organization, and shows who changed this, from what to what', async () => {
  const stage = await openStage();
  await stage.administration.organizations.create({ id: 'acme' });
  await stage.administration.organizations.create({ id: 'globex' });
  const { page, complaints } = await openPage(browser(), `${stage.url}/#/organizations?organization=acme`);
  await page.getByRole('button', { name: 'Set limits' }).click();
  await page.getByLabel('The operator pays').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('operator pays', { exact: true }).waitFor();
  expect(await stage.administration.organizations.get('acme')).toMatchObject({ operatorPays: true });

  await page.getByRole('link', { name: 'Changes' }).click();
  const changed = page.getByRole('row').filter({ hasText: 'operator_pays: false → true' });
  expect(await changed.getByRole('cell').nth(2).innerText()).toBe('made');
  await page.getByRole('row').filter({ hasText: 'globex' }).waitFor();
  await page.getByLabel('Organization', { exact: true }).fill('acme');
  await page.getByLabel('Organization', { exact: true }).press('Enter');
  await page.getByRole('row').filter({ hasText: 'globex' }).waitFor({ state: 'detached' });
  expect(page.url()).toContain('#/changes?organization=acme');
  await changed.getByRole('button').click();
  await page.getByRole('dialog').getByText('"operator_pays": true').waitFor();
  expect(complaints).toEqual([]);
});
