import type { LoggedRequest } from '@searchgate/core/ledger';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const browser = useBrowser();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many calls are shown. */
const shown = async (page: Page, caption: string) => page.getByText(`${caption} requests, newest first`).waitFor();
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText');
const panelOf = (page: Page) => page.getByRole('complementary');

const WELL = { phase: null, upstreamStatus: null, code: null, cost: 5_000_000n } as const;
const LATE = { outcome: 'upstream_timeout', phase: 'headers', upstreamStatus: null, code: null, cost: null } as const;
const exa = { provider: 'exa', model: 'exa/answer' } as const;
const tavily = { provider: 'tavily', model: 'tavily/answer' } as const;

/** A call of acme that tavily answered. */
function callAt(requestId: string, atMs: number, change: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    requestId,
    answerId: `ans_${requestId}`,
    atMs,
    endpoint: 'search',
    keyId: 'ci',
    organizationId: 'acme',
    tag: 'team-1',
    budgets: [],
    byok: false,
    modelAsked: 'exa/answer',
    ...tavily,
    status: 200,
    reason: null,
    stream: false,
    cache: null,
    cost: WELL.cost,
    upstreamCost: WELL.cost,
    loss: 0n,
    durationMs: 900,
    upstreamMs: 890,
    firstPartMs: null,
    cause: null,
    attempted: ['tavily'],
    attemptCount: 1,
    rescued: false,
    attempts: [{ ...tavily, ...WELL, outcome: 'answered', startMs: 1, durationMs: 890 }],
    ...change,
  };
}

/** A week with a call an hour. Yesterday at 14:00 exa was late: one call was lost, and one was rescued while exa was still asked. */
async function aWeek({ log }: Stage): Promise<number> {
  const now = Date.now();
  const badMs = Math.floor(now / DAY_MS) * DAY_MS - 10 * HOUR_MS;
  const rows = Array.from({ length: 160 }, (_, hours) => callAt(`req_${hours}`, now - hours * HOUR_MS));
  const late = { ...exa, ...LATE, startMs: 0, durationMs: 20_000 };
  const lost = callAt('req_lost', badMs + 120_000, {
    ...exa,
    status: 504,
    reason: 'upstream_timeout',
    cost: null,
    durationMs: 20_004,
    cause: { ...exa, phase: 'headers', upstreamStatus: null, code: null },
    attempted: ['exa'],
    attempts: [late],
  });
  const answer = { ...tavily, ...WELL, outcome: 'answered' as const, startMs: 15_000, durationMs: 10_000 };
  const rescued = callAt('req_rescued', badMs + 60_000, {
    durationMs: 25_000,
    attempted: ['exa', 'tavily'],
    attemptCount: 2,
    rescued: true,
    attempts: [late, answer],
  });
  await log.append([...rows, lost, rescued]);
  return badMs;
}

async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

it('finds in three steps why an answer of yesterday at 14:00 is missing, and Back undoes each', async () => {
  const stage = await openStage();
  const badMs = await aWeek(stage);
  const { page, complaints } = await openPage(browser(), `${stage.url}/#/requests`, {
    viewport: { width: 1280, height: 800 },
  });
  await shown(page, '100');
  const chart = page.getByRole('img', { name: /^162 calls, of which 1 failed/ }).locator('.u-over');
  const { width } = (await chart.boundingBox()) ?? { width: 0 };
  // By the hour: a week, and the hour that is not over.
  const first = Math.floor((Date.now() - 7 * DAY_MS) / HOUR_MS) * HOUR_MS;
  const hours = Math.ceil(Date.now() / HOUR_MS) - first / HOUR_MS;
  await chart.click({ position: { x: (width * ((badMs - first) / HOUR_MS + 0.5)) / hours, y: 20 } });
  await shown(page, '3');
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await shown(page, '1');
  await page.getByText('504 did not answer in time').click();
  const panel = panelOf(page);
  await panel.getByText('exa did not answer within 20.0 s (before its reply began).').waitFor();
  expect(await panel.innerText()).toMatch(/Raise the timeoutMs of the model, hedge it, or give it a fallback/);
  expect(page.url()).toMatch(/from=.*&to=.*&status=5&request=req_lost$/);

  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  await page.goBack();
  await shown(page, '3');
  await page.goBack();
  await shown(page, '100');
  expect(complaints).toEqual([]);
});

it.each(['light', 'dark'] as const)(
  'opens a call by its address beside the list, in %s, and goes along the rows',
  async (colorScheme) => {
    const stage = await openStage();
    await aWeek(stage);
    const url = `${stage.url}/#/requests?attempted=exa&request=req_lost`;
    const { page } = await openPage(browser(), url, { colorScheme });
    const panel = panelOf(page);
    await panel.getByText('exa did not answer within').first().waitFor();
    await shown(page, '2');
    await page.keyboard.press('ArrowDown');
    await panel.getByText(/^exa did not answer within 20.0 s .*; tavily answered in 25.0 s\.$/).waitFor();
    // While exa is asked, tavily begins: on one scale.
    const bars = panel.locator('.waterfall rect:not(.base)');
    const places = await bars.evaluateAll((all) =>
      all.map((bar) =>
        ['x', 'width'].map((name) => (bar as unknown as { getAttribute(name: string): string }).getAttribute(name)),
      ),
    );
    expect(places).toEqual([
      ['0%', '80%'],
      ['60%', '40%'],
    ]);
    expect(await page.locator('tr[aria-current]').innerText()).toMatch(/exa\s*✕\s*→\s*tavily\/answer\s+rescued/);
    expect(await barriers(page)).toEqual([]);

    // What comes while the panel is open moves neither it nor the focus.
    await stage.log.append([callAt('req_new', Date.now(), { attempted: ['exa'] })]);
    await shown(page, '3');
    expect([new URL(page.url()).hash.endsWith('request=req_rescued'), await focused(page)]).toEqual([
      true,
      expect.stringContaining('tavily answered'),
    ]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.id')).toBe('open-req_rescued');
  },
);

describe('filters', () => {
  it('are chips that the keyboard adds and removes, by the label of a key, and stay in the address', async () => {
    const stage = await openStage();
    const { administration } = stage;
    const { secret, key } = await administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
    const poor = await administration.apiKeys.create({ organizationId: 'acme', label: 'poor', limit: '0.001' });
    for (const apiKey of [secret, secret, poor.secret]) await stage.ask(apiKey);
    const { page, complaints } = await openPage(browser(), `${stage.url}/#/requests?kind=none&status=402`);
    await page.getByText('402 key limit reached').waitFor();
    await shown(page, '1');
    await page.getByRole('button', { name: 'Remove the filter Outcome: no money (402)' }).press('Enter');
    await shown(page, '3');
    expect(await focused(page)).toBe('Add filter');
    await page.keyboard.press('Enter');
    await page.getByLabel('Field', { exact: true }).selectOption('key');
    await page.getByRole('combobox', { name: 'Key' }).fill('web-shop');
    await page.keyboard.press('Enter');
    await shown(page, '2');
    expect([await focused(page), new URL(page.url()).hash]).toEqual([
      'Add filter',
      expect.stringContaining(`key=${key.id}`),
    ]);
    await page.getByText('the chart knows no filter by key').waitFor();
    await page.reload();
    await shown(page, '2');
    await page.getByRole('button', { name: 'Remove the filter Key: web-shop' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('are named where they are wrong, and where no call fits', async () => {
    const { url } = await openStage();
    const { page } = await openPage(browser(), `${url}/#/requests`);
    await page.getByText('No request fits.').waitFor();
    await page.goto(`${url}/#/requests?status=999`);
    await page.reload();
    await page.getByRole('alert').getByText('must be 2, 4 or 5 for a hundred').waitFor();
  });
});

it.each([true, false])(
  'hides columns by keyboard, and keeps the choice where the browser may store it: %s',
  async (mayStore) => {
    const stage = await openStage();
    await stage.log.append([callAt('req_1', Date.now())]);
    const { page } = await openPage(browser(), `${stage.url}/#/overview`);
    if (!mayStore)
      await page.addInitScript(
        'Object.defineProperty(window, "localStorage", { get() { throw new Error("forbidden"); } })',
      );
    await page.goto(`${stage.url}/#/requests`);
    await page.reload();
    const tag = page.getByRole('columnheader', { name: 'Tag' });
    await tag.waitFor();
    await page.locator('summary', { hasText: 'Columns' }).press('Enter');
    await page.getByLabel('Tag', { exact: true }).press('Space');
    await tag.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Columns');
    await page.reload();
    await shown(page, '1');
    expect(await tag.count()).toBe(mayStore ? 0 : 1);
  },
);

it('is cards of two lines on a phone, with controls that a finger hits', async () => {
  const stage = await openStage();
  await stage.log.append([
    callAt('req_1', Date.now(), { organizationId: 'an-organization-with-a-name-of-some-length' }),
  ]);
  const { page } = await openPage(browser(), `${stage.url}/#/requests`, { viewport: { width: 390, height: 844 } });
  await shown(page, '1');
  const cells = await page.locator('.table-box tbody tr > :visible').evaluateAll((all) =>
    all.map((cell) => {
      const { top, right } = (
        cell as unknown as { getBoundingClientRect(): { top: number; right: number } }
      ).getBoundingClientRect();
      return { top, right };
    }),
  );
  expect(Math.max(...cells.map(({ right }) => right))).toBeLessThan(390);
  expect(cells).toHaveLength(6);
  for (const button of await page.locator('.requests :is(button, summary, .button)').all())
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(32);
  await page.getByText('$0.0050').click();
  await panelOf(page).getByText('tavily answered in 900 ms.').waitFor();
  expect(await barriers(page)).toEqual([]);
});
