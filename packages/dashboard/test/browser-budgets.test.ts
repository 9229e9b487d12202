import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const browser = useBrowser();
/** An id that a page or a path could take for its own. */
const HOSTILE = 'team:<img/src=x/onerror=alert(1)>&50%2F?#,"\'';
const FIGURES = { usage: '50.125', held: '0.5', limit_remaining: '149.375' };
const TIMES = { resets_at: '2026-12-01T00:00:00.000Z', created_at: '2026-11-29T00:00:00.000Z' };

interface SentBudget {
  readonly limit: string;
  readonly limit_reset: string | null;
  readonly mode: string;
}

/** Answers the page as the admin API does: with budgets of "acme", and with the field `budgets` of keys. @returns what it has. */
async function serveBudgets(page: Page) {
  const budgets = new Map<string, SentBudget>();
  const ofKeys = new Map<string, readonly string[]>();
  const rowOf = ([id, sent]: readonly [string, SentBudget]) => ({ id, ...sent, ...FIGURES, ...TIMES });
  const withBudgets = (key: { id: string }) => ({ ...key, budgets: ofKeys.get(key.id) ?? [] });

  await page.route('**/api/v1/organizations/acme/budgets**', (route) => {
    const [, encoded = ''] = /\/budgets\/([^/?]+)$/.exec(route.request().url()) ?? [];
    const id = decodeURIComponent(encoded);
    if (id === '') return route.fulfill({ json: { data: [...budgets].map(rowOf), next_cursor: null } });
    if (route.request().method() === 'PUT') {
      const sent = route.request().postDataJSON() as SentBudget;
      budgets.set(id, sent);
      return route.fulfill({ json: rowOf([id, sent]) });
    }
    const keys = [...ofKeys].filter(([, ids]) => ids.includes(id)).map(([key]) => key);
    const error = { message: `Keys name the budget: ${keys.join(', ')}.`, field: null };
    if (keys.length > 0) return route.fulfill({ status: 409, json: { error } });
    budgets.delete(id);
    return route.fulfill({ json: {} });
  });
  await page.route('**/api/v1/keys**', async (route) => {
    const { budgets: named, ...postData } = (route.request().postDataJSON() ?? {}) as { budgets?: readonly string[] };
    const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
    const response = await route.fetch(named === undefined ? {} : { headers, postData });
    const body = (await response.json()) as { data?: { id: string }[]; key?: { id: string }; id: string };
    const { data, key = body } = body;
    if (named !== undefined) ofKeys.set(key.id, named);
    const changed = body.key ? { key: withBudgets(key) } : withBudgets(key);
    return route.fulfill({ response, json: { ...body, ...(data ? { data: data.map(withBudgets) } : changed) } });
  });
  return { budgets, ofKeys };
}

/** Opens the keys of "acme" with such answers. */
async function openAcme(stage: Stage, user?: string) {
  const opened = await openPage(browser(), `${stage.url}/#/health`, user === undefined ? {} : { user });
  const served = await serveBudgets(opened.page);
  await opened.page.goto(`${stage.url}/#/keys?organization=acme`);
  const press = (name: string) => opened.page.getByRole('button', { name, exact: true }).click();
  return { ...opened, ...served, press };
}

it('sets a budget, names it in a key, refuses to delete it then, changes it, and deletes it', async () => {
  const stage = await openStage();
  await stage.administration.organizations.create({ id: 'acme' });
  const { page, press, budgets, complaints } = await openAcme(stage);
  await page.getByText('No budgets. A budget limits what several keys spend together.').waitFor();
  await press('Set a budget');
  await page.getByLabel('Id', { exact: true }).fill(HOSTILE);
  await page.getByLabel('Limit in USD', { exact: true }).fill('200.00');
  await page.getByLabel('Limit starts over', { exact: true }).selectOption('monthly');
  await press('Save');
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: HOSTILE, exact: true }) });
  const cells = async () => (await row.getByRole('cell').allInnerTexts()).slice(0, -1);
  await row.waitFor();
  expect(await cells()).toEqual(['$50.13', '$200.00 monthly', '$149.38', '$0.50', 'refuses calls', '2026-12-01 00:00']);
  expect([...budgets]).toEqual([[HOSTILE, { limit: '200.00', limit_reset: 'monthly', mode: 'enforce' }]]);

  await press('Create a key');
  await page.getByLabel('Label', { exact: true }).fill('web-shop');
  await page.getByLabel('Budgets', { exact: true }).fill(` ${HOSTILE}  `);
  await press('Create');
  await press('I have stored it');
  await page.getByRole('row', { name: 'web-shop' }).getByText(HOSTILE, { exact: true }).waitFor();
  await press(`Delete ${HOSTILE}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alert').getByText('Keys name the budget: ').waitFor();
  await press('Cancel');

  await press('Change web-shop');
  expect(await page.getByLabel('Budgets', { exact: true }).inputValue()).toBe(HOSTILE);
  await page.getByLabel('Budgets', { exact: true }).fill('');
  await press('Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(`Change ${HOSTILE}`);
  await page.getByLabel('Without room', { exact: true }).selectOption('warn');
  await page.getByLabel('Limit starts over', { exact: true }).selectOption('');
  await press('Save');
  await row.getByRole('cell', { name: 'only warns' }).waitFor();
  expect([...budgets]).toEqual([[HOSTILE, { limit: '200.00', limit_reset: null, mode: 'warn' }]]);
  await press(`Delete ${HOSTILE}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No budgets.').waitFor();
  // Chromium logs the refusal.
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
});

it('shows budgets to viewers, on the page of a key too, and offers no change', async () => {
  const stage = await openStage();
  await stage.administration.organizations.create({ id: 'acme' });
  const { key } = await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
  const { page, budgets, ofKeys } = await openAcme(stage, 'viewer');
  budgets.set('team:research', { limit: '200.00', limit_reset: null, mode: 'enforce' });
  ofKeys.set(key.id, ['team:research', 'user:ada']);
  await page.reload();
  await page.getByRole('rowheader', { name: 'team:research' }).waitFor();
  await page.getByRole('row', { name: 'web-shop' }).getByText('team:research user:ada').waitFor();
  expect(await page.getByRole('button', { name: /budget|Change|Delete/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'web-shop' }).click();
  await page.getByRole('definition').getByText('team:research user:ada').waitFor();
});

it('shows spending by budget', async () => {
  const stage = await openStage();
  const { page } = await openPage(browser(), `${stage.url}/#/spend`);
  const charge = { model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;
  const budgets = [{ id: 'team:research', limit: null, limitReset: null, isKept: true }];
  for (const [holdId, counted] of Object.entries({ first: budgets, second: [] })) {
    const call = { holdId, organizationId: 'acme', keyId: 'key-1', keyLimit: null, expiresAtMs: Date.now() + 60_000 };
    await stage.ledger.hold({ ...call, amount: 7_000_000n, model: 'exa/answer', budgets: counted });
    await stage.ledger.settle(holdId, { ...charge, cost: 7_000_000n });
  }
  await page.getByLabel('By', { exact: true }).selectOption('budget');
  await page.getByText('Usage by budget').waitFor();
  await page.getByRole('columnheader', { name: 'Budget' }).waitFor();
  const cellsOf = (name: string) => page.getByRole('row', { name }).getByRole('cell').allInnerTexts();
  expect(await cellsOf('team:research')).toEqual(expect.arrayContaining(['$0.007', '1']));
  expect(await cellsOf('none')).toEqual(expect.arrayContaining(['$0.007', '1']));
});
