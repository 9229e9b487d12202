import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const browser = useBrowser();
/** An id that a page or a path could take for its own. */
const HOSTILE = 'team:<img/src=x/onerror=alert(1)>&50%2F?#,"\'';

const NAMED = ['team:research', 'user:ada'];

async function setBudgets({ administration: { budgets, organizations } }: Stage): Promise<void> {
  await organizations.create({ id: 'acme' });
  for (const id of NAMED) await budgets.set('acme', { id, limit: '200.00' });
}

/** Opens the page of "acme". */
async function openAcme(stage: Stage, user = 'operator') {
  const opened = await openPage(browser(), `${stage.url}/#/organizations?organization=acme`, { user });
  const press = (name: string) => opened.page.getByRole('button', { name, exact: true }).click();
  return { ...opened, press };
}

it('sets a budget, names it in a key, refuses to delete it then, changes it, and deletes it', async () => {
  const stage = await openStage();
  const { budgets, organizations } = stage.administration;
  await organizations.create({ id: 'acme' });
  const { page, press, complaints } = await openAcme(stage);
  await page.getByText('No budgets. A budget limits what several keys spend together.').waitFor();
  await press('Set a budget');
  await page.getByLabel('Id', { exact: true }).fill(HOSTILE);
  await page.getByLabel('Limit in USD', { exact: true }).fill('200.00');
  await page.getByLabel('Limit starts over', { exact: true }).selectOption('monthly');
  await press('Save');
  const tile = page.getByRole('listitem', { name: HOSTILE, exact: true });
  await tile.getByText('$0.00 of $200.00 monthly').waitFor();
  expect(await budgets.get('acme', HOSTILE)).toMatchObject({ limitReset: 'monthly', mode: 'enforce' });

  await page.getByRole('link', { name: '0 keys' }).click();
  await press('Create a key');
  await page.getByLabel('Label', { exact: true }).fill('web-shop');
  await page.getByLabel('Budgets', { exact: true }).fill(` ${HOSTILE}  `);
  await press('Create');
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await press('I have stored it');
  await page.getByRole('row', { name: 'web-shop' }).getByText(HOSTILE, { exact: true }).waitFor();
  expect(await stage.ask(secret)).toBe(200);
  await page.getByRole('link', { name: 'acme', exact: true }).click();
  await tile.getByRole('link', { name: HOSTILE, exact: true }).click();
  await page.waitForURL(/#\/requests\?organization=acme&budget=team%3A/);
  await page.goBack();
  await tile.getByText(/^Starts over \d{4}-\d{2}-01 00:00 UTC$/).waitFor();
  await tile.getByText('$0.0050 of $200.00 monthly').waitFor();
  await tile.getByText('0.0 % used', { exact: true }).waitFor();
  await press(`Delete ${HOSTILE}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alert').getByText('key').waitFor();
  await press('Cancel');

  await page.getByRole('link', { name: '1 key' }).click();
  await press('Change web-shop');
  expect(await page.getByLabel('Budgets', { exact: true }).inputValue()).toBe(HOSTILE);
  await page.getByLabel('Budgets', { exact: true }).fill('');
  await press('Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goBack();
  await press(`Change ${HOSTILE}`);
  await page.getByLabel('Limit in USD', { exact: true }).fill('0.006');
  await page.getByLabel('Without room', { exact: true }).selectOption('warn');
  await page.getByLabel('Limit starts over', { exact: true }).selectOption('');
  await press('Save');
  await tile.getByText('83.3 % used: near its limit').waitFor();
  await tile.getByText('Warns, never refuses', { exact: true }).waitFor();
  expect(await budgets.get('acme', HOSTILE)).toMatchObject({ limit: 6_000_000n, limitReset: null, mode: 'warn' });
  await budgets.set('acme', { id: HOSTILE, limit: '0.005' });
  await page.reload();
  await tile.getByText('100.0 % used: no room left').waitFor();
  await press(`Delete ${HOSTILE}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No budgets.').waitFor();
  // Chromium logs the refusal.
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
});

it('shows budgets and provider keys to viewers, on the page of a key too, and offers no change', async () => {
  const stage = await openStage();
  await setBudgets(stage);
  await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop', budgets: NAMED });
  await stage.administration.tenantKeys?.set('acme', 'exa', 'vendor-key-9f3a');
  const { page } = await openAcme(stage, 'viewer');
  await page.getByRole('row', { name: 'exa 9f3a' }).waitFor();
  await page.getByRole('listitem', { name: 'team:research' }).waitFor();
  expect(await page.getByRole('button', { name: /budget|provider key|Change|Delete/ }).count()).toBe(0);
  await page.getByRole('link', { name: '1 key' }).click();
  await page.getByRole('row', { name: 'web-shop' }).getByText('team:research user:ada').waitFor();
  await page.getByRole('link', { name: 'web-shop' }).click();
  await page.getByRole('link', { name: 'team:research user:ada' }).click();
  await page.getByRole('listitem', { name: 'user:ada' }).waitFor();
});
