import type { LoggedRequest } from '@searchgate/core/ledger';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';
import { ROW } from './logged-row.js';

const browser = useBrowser();
const HOUR_MS = 3_600_000;

/** A call that Tavily answered after Exa had failed, one that Exa answered, and others two days ago. */
function callsOf(nowMs: number): readonly LoggedRequest[] {
  const failed = {
    provider: 'exa',
    model: 'exa/answer',
    outcome: 'upstream_error',
    durationMs: 90,
    cost: null,
  } as const;
  const codes = { phase: 'headers', upstreamStatus: 503, code: null } as const;
  const one = { ...ROW, atMs: nowMs, cost: 5_000_000n, provider: 'exa', model: 'exa/answer' };
  const saved = {
    ...one,
    provider: 'tavily',
    model: 'tavily/answer',
    rescued: true,
    attempts: [{ ...failed, ...codes }],
  };
  return [
    { ...saved, requestId: 'req_saved' },
    { ...one, requestId: 'req_exa' },
    { ...one, requestId: 'req_old', organizationId: 'globex', atMs: nowMs - 48 * HOUR_MS },
    { ...one, requestId: 'req_older', organizationId: 'globex', atMs: nowMs - 49 * HOUR_MS },
  ];
}

const barOf = async (page: Page) => {
  await page.getByRole('img', { name: /^Chart/ }).waitFor();
  return page.locator('.u-over').boundingBox();
};

it('tells in one click from the overview which fallback saved calls, and leads to these', async () => {
  const stage = await openStage();
  await stage.log.append(callsOf(Date.now()));
  const { page, complaints } = await openPage(browser(), stage.url);
  await page.getByTitle('Explore: Rescued today').click();
  const table = page.getByRole('region', { name: /^Calls, / });
  expect(await table.getByRole('rowheader').first().innerText()).toBe('tavily');
  await table.getByRole('link', { name: 'tavily' }).press('Enter');
  expect(page.url()).toMatch(/#\/requests\?from=[^&]+&provider=tavily&rescued=true$/);
  expect(complaints).toEqual([]);
});

it('narrows by a click on the chart, which Back takes back', async () => {
  const stage = await openStage();
  await stage.log.append(callsOf(Date.now()));
  const { page } = await openPage(browser(), `${stage.url}/#/explore?measure=calls&by=organization,kind`);
  const total = async (calls: number) =>
    page.getByRole('img', { name: `Chart: calls by hour, in all ${calls}` }).waitFor();
  await total(4);
  const box = await barOf(page);
  if (box === null) throw new Error('the chart has no plot');
  // The last hour of 169.
  await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
  await page.getByRole('button', { name: / – / }).waitFor();
  expect(page.url()).toMatch(/from=[^&]*%3A00%3A00Z&to=/);
  await page.goBack();
  await total(4);
});

it('shows what the ledger knows of keys, and offers no other measure of them', async () => {
  const stage = await openStage();
  const { secret } = await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
  expect(await stage.ask(secret)).toBe(200);
  const { page } = await openPage(browser(), `${stage.url}/#/explore?by=key&measure=p95_ms&of=attempts`);
  await page.getByRole('row', { name: /web-shop \(acme\) \$0.0050 1$/ }).waitFor();
  const measures = page.getByLabel('Measure', { exact: true });
  expect(await measures.getByRole('option').allInnerTexts()).toEqual(['Cost', 'Calls']);
  expect(await measures.inputValue()).toBe('cost');
});
