import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@searchgate/core/ledger';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const DAY_MS = 86_400_000;
const DAYS = 21;

/** A stage with three weeks of history: keys with limits, usage by day and model, refusals, and a suspended organization. */
async function openUsedStage(): Promise<Stage> {
  let daysAgo = DAYS;
  const clock = { ...systemClock, now: () => Date.now() - daysAgo * DAY_MS };
  const stage = await openStage('Express 5', clock);
  const { administration } = stage;
  for (const [id, name] of Object.entries({ acme: 'Acme Inc', globex: 'Globex', initech: 'Initech' })) {
    await administration.organizations.create({ id, name });
    await administration.grant({ organizationId: id, amount: '40.00', grantId: `first-${id}` });
  }
  const create = administration.apiKeys.create;
  const keys = [
    await create({ organizationId: 'acme', label: 'web-shop', limit: '25.00', limitReset: 'monthly' }),
    await create({ organizationId: 'acme', label: 'nightly-report', rateLimit: { requests: 600, periodMs: 60_000 } }),
    await create({ organizationId: 'globex', label: 'support-bot', allowedModels: ['exa/answer', 'perplexity/sonar'] }),
  ];
  const askAround = async (requests: number) => {
    for (let request = 0; request < requests; request += 1) {
      const status = await stage.ask(keys[request % keys.length]?.secret ?? '', 2 * request);
      if (![200, 401, 403].includes(status)) throw new Error(`a request of the history got ${status}`);
    }
  };
  for (; daysAgo >= 0; daysAgo -= 1) {
    // Two quiet days in every seven.
    await askAround(daysAgo % 7 < 2 ? 2 : 5 + ((daysAgo * 5) % 9));
  }
  daysAgo = 0;
  await administration.apiKeys.revoke(keys[2]?.key.id ?? '');
  await administration.organizations.suspend('initech');
  return stage;
}

const SCREENSHOTS = join(import.meta.dirname, '../../../docs/images/dashboard');
/** The views with a picture in the documentation. */
const SHOWN = new Set(['playground', 'explore', 'requests']);
/** Only `npm run docs:screenshots` writes them. */
const isWriting = process.env['SEARCHGATE_SCREENSHOTS'] === '1';

/** Five views with axe-core take a while on a busy machine. */
const TIMEOUT_MS = 180_000;

/** Prepares each view for its picture. */
const VIEWS = {
  async overview(page) {
    await page.getByText('Cost this month', { exact: true }).waitFor();
    await page.getByText('All providers serve this process.').waitFor();
  },
  async playground(page) {
    await page.getByLabel('Question', { exact: true }).fill('When did the Zephyr Bridge open?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Complete, with 3 sources.').waitFor();
  },
  async explore(page) {
    await page.getByRole('button', { name: '30 days' }).click();
    await page.getByRole('img', { name: /^Chart: cost by day/ }).waitFor();
  },
  async keys(page) {
    await page.getByRole('rowheader', { name: 'web-shop' }).waitFor();
  },
  async organizations(page) {
    await page.getByRole('rowheader', { name: 'globex' }).waitFor();
  },
  async requests(page) {
    await page.getByText(/^\d+ requests, newest first$/).waitFor();
  },
  async changes(page) {
    await page.getByText(/^Changes, newest first$/).waitFor();
  },
  async health(page) {
    await page.getByRole('rowheader', { name: 'exa', exact: true }).waitFor();
  },
} satisfies Record<string, (page: Page) => Promise<void>>;

/** The other forms and replies of the playground. */
const CALLS = {
  async search(page) {
    await page.getByLabel('Model', { exact: true }).selectOption('exa/find');
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Text of the pages', { exact: true }).selectOption('yes');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('Complete, with 2 results.').waitFor();
  },
  async extract(page) {
    await page.getByLabel('Model', { exact: true }).selectOption('exa/read');
    await page
      .getByLabel('Addresses, one per line', { exact: true })
      .fill('https://example.org/a\nhttps://example.org/gone');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByText('Complete, with 1 page; 1 failed.').waitFor();
  },
  async rerank(page) {
    await page.getByLabel('Model', { exact: true }).selectOption('exa/rank');
    await page.getByLabel('Documents, one per line', { exact: true }).fill('It opened.\nIt closed.');
    await page.getByRole('button', { name: 'Sort', exact: true }).click();
    await page.getByText('Complete, with 2 documents.').waitFor();
  },
  async embedding(page) {
    await page.getByLabel('Model', { exact: true }).selectOption('exa/embed');
    await page.getByLabel('Texts, one per line', { exact: true }).fill('It opened.');
    await page.getByRole('button', { name: 'Embed', exact: true }).click();
    await page.getByText('Complete, with 1 vector.').waitFor();
  },
  async comparison(page) {
    await page.getByLabel('Model', { exact: true }).selectOption('exa/answer');
    await page.getByText('Compare with…').click();
    for (const model of ['perplexity/sonar', 'exa/report']) await page.getByLabel(model, { exact: true }).check();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('3 of 3 sources come from two or more models.').waitFor();
    await page.getByText('Compare with…').click();
  },
} satisfies Record<string, (page: Page) => Promise<void>>;

type ViewName = keyof typeof VIEWS;
const NAMES = Object.keys(VIEWS) as ViewName[];

const browser = useBrowser();

/** The accessibility violations that axe-core finds. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

async function open(page: Page, name: ViewName): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: false }).click();
  await VIEWS[name](page);
}

async function screenshot(page: Page, name: string): Promise<void> {
  if (!isWriting) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const end = await page.evaluate("document.querySelector('main').getBoundingClientRect().bottom");
  const clip = { x: 0, y: 0, width, height: Math.min(height, Number(end)) };
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), clip });
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it(
    'each view lets everyone in, at 1280 pixels',
    async () => {
      const stage = await openUsedStage();
      const { page, complaints } = await openPage(browser(), stage.url, {
        colorScheme,
        viewport: { width: 1280, height: 860 },
      });
      const found: Record<string, string[]> = {};
      for (const name of NAMES) {
        await open(page, name);
        found[name] = await barriers(page);
        if (SHOWN.has(name)) await screenshot(page, `${name}-${colorScheme}`);
        if (name !== 'playground') continue;
        for (const [call, make] of Object.entries(CALLS)) {
          await make(page);
          found[call] = await barriers(page);
        }
      }
      expect(found).toEqual(Object.fromEntries([...NAMES, ...Object.keys(CALLS)].map((name) => [name, []])));
      expect(complaints).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('each dialog is accessible', async () => {
    const { url, administration } = await openStage();
    await administration.organizations.create({ id: 'acme' });
    await administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
    const { page } = await openPage(browser(), `${url}/#/keys`, { colorScheme });
    for (const [hash, actions] of Object.entries({
      keys: ['Create a key', 'Change web-shop', 'Revoke web-shop'],
      organizations: ['Create an organization'],
      'organizations?organization=acme': ['Set a budget', 'Set limits'],
    })) {
      await page.evaluate(`location.hash = '#/${hash}'`);
      for (const action of actions) {
        await page.getByRole('button', { name: action, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        expect({ action, found: await barriers(page) }).toEqual({ action, found: [] });
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    }
  });
});

it('fits into 380 pixels without horizontal scrolling', async () => {
  const stage = await openUsedStage();
  const { page } = await openPage(browser(), stage.url, {
    colorScheme: 'light',
    viewport: { width: 380, height: 760 },
  });
  for (const name of NAMES) {
    await open(page, name);
    expect({ name, width: await page.evaluate('document.documentElement.scrollWidth') }).toEqual({ name, width: 380 });
    if (name !== 'playground') continue;
    for (const make of Object.values(CALLS)) {
      await make(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    }
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
});

it('needs no mouse: the keyboard creates and revokes a key', async () => {
  const { url, administration } = await openStage();
  await administration.organizations.create({ id: 'acme' });
  const { page } = await openPage(browser(), `${url}/#/keys`);
  await page.getByRole('button', { name: 'Create a key' }).waitFor();

  await tabTo(page, 'Create a key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
  await tabTo(page, 'Organization');
  await page.keyboard.type('acme');
  await tabTo(page, 'Label');
  await page.keyboard.type('by-keyboard');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Secret of by-keyboard' }).waitFor();
  await tabTo(page, 'I have stored it');
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'by-keyboard' }).waitFor();

  await tabTo(page, 'Revoke by-keyboard');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Revoke by-keyboard?' }).waitFor();
  await tabTo(page, 'Revoke');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: /^revoked/ }).waitFor();
  const { items } = await administration.apiKeys.list();
  expect(items.map(({ label, revokedAtMs }) => [label, revokedAtMs !== null])).toEqual([['by-keyboard', true]]);
});

const MAX_TABS = 60;
const FOCUSED_NAME = `(() => {
  const { activeElement: element } = document;
  return element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText ?? '';
})()`;

/** Presses Tab until the named control has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: unknown[] = [];
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    const focused = await page.evaluate(FOCUSED_NAME);
    if (focused === name) return;
    passed.push(focused);
    await page.keyboard.press('Tab');
  }
  throw new Error(`no control named "${name}" among ${JSON.stringify(passed)}`);
}
