import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HOSTS } from './browser/hosts.js';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';
import { HOSTILE } from './ports-of.js';

const FIRST_SENTENCE = 'The Zephyr Bridge opened on 14 May 2021 [1], after';

const browser = useBrowser();

const view = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Question', { exact: true }).fill(question);
  await press(page, 'Ask');
}

/** The cells of a table row, by column title. */
async function rowOf(page: Page, name: string): Promise<Record<string, string>> {
  const table = page.getByRole('table').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  const titles = await table.getByRole('columnheader').allInnerTexts();
  const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  const cells = await row.locator('th, td').allInnerTexts();
  return Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? '']));
}

/** The log is written in batches, behind the calls. */
const logged = ({ log }: Stage) => expect.poll(async () => (await log.find({}, { limit: 1 })).rows.length).toBe(1);

describe.each(Object.keys(HOSTS) as (keyof typeof HOSTS)[])('the page in %s', (host) => {
  it('streams an answer, shows its cost, and makes a key that works until it is revoked', async () => {
    const stage = await openStage(host);
    const { page, complaints, requested } = await openPage(browser(), stage.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await view(page, 'Playground');

    // The first part is visible before the answer is complete.
    await ask(page, 'Wait: when did the Zephyr Bridge open?');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText(FIRST_SENTENCE).waitFor();
    expect(await answer.getByText('Answering…').isVisible()).toBe(true);
    expect(await answer.getByText('years of work').isVisible()).toBe(false);
    stage.finish();
    await answer.getByText('Complete, with 3 sources.').waitFor();
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('$0.005').waitFor();
    await figures.getByText(/^gateway;dur=.*upstream;dur=/).waitFor();
    await figures.getByRole('link', { name: /^req_/ }).waitFor();

    await logged(stage);
    await view(page, 'Explore');
    await page.getByRole('img', { name: /^Chart: cost by hour, in all \$0.005/ }).waitFor();
    expect(await rowOf(page, 'exa/answer')).toMatchObject({ Calls: '1', Cost: '$0.0050', Rescued: '0' });

    await view(page, 'Keys');
    await press(page, 'Create a key');
    await page.getByRole('dialog').getByLabel('Organization', { exact: true }).fill('acme');
    await page.getByLabel('Label', { exact: true }).fill('web-shop');
    await page.getByLabel('Limit in USD', { exact: true }).fill('25');
    await press(page, 'Create');
    await page.getByText('There is no organization acme. Create it too?').waitFor();
    await press(page, 'Create both');
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await press(page, 'I have stored it');
    await page.getByRole('rowheader', { name: 'web-shop' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await stage.ask(secret)).toBe(200);

    await view(page, 'Playground');
    await page.getByLabel('Ask as', { exact: true }).selectOption('key');
    await page.getByLabel('API key', { exact: true }).fill(secret);
    await ask(page, 'When did it open?');
    await answer.getByText('Complete, with 3 sources.').waitFor();

    await view(page, 'Keys');
    await press(page, 'Revoke web-shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: /^revoked/ }).waitFor();
    expect(await rowOf(page, 'web-shop')).toMatchObject({ Used: '$0.01', Limit: '$25.00' });
    expect(await stage.ask(secret)).toBe(401);

    expect(requested.filter((url) => new URL(url).origin !== stage.origin)).toEqual([]);
    // Chromium logs that the organization was not found.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});

describe('the page', () => {
  it('shows users of the host by spending, grants them credits, and offers no key', async () => {
    const stage = await openStage('Express 5', undefined, false);
    expect(await stage.ask('a-session-of-the-host')).toBe(200);
    const { page, complaints } = await openPage(browser(), stage.url);
    await view(page, 'Organizations');
    await page.getByLabel('Search', { exact: true }).fill('customer-9');
    await page.getByRole('link', { name: 'Open customer-9' }).waitFor();
    await page.getByLabel('Search', { exact: true }).fill('');
    await page.getByRole('link', { name: 'acme', exact: true }).click();
    await page.getByRole('link', { name: 'Explore its usage' }).click();
    await page.getByRole('row', { name: /^user-7 .*\$0\.0050/ }).waitFor();
    await page.goBack();
    await press(page, 'Grant credits');
    await page.getByRole('dialog').getByLabel('Amount in USD', { exact: true }).fill('10');
    await press(page, 'Grant');
    await page.getByTitle('$259.995', { exact: true }).waitFor();
    const buttons = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect(buttons.sort()).toEqual(['Grant credits']);
    expect(complaints).toEqual([]);
  });

  it('highlights the source of a citation marker, and the citation markers of a source', async () => {
    const { url } = await openStage();
    const { page } = await openPage(browser(), `${url}/#/playground`);
    await ask(page, 'When did it open?');
    await page.getByText('Complete, with 3 sources.').waitFor();
    const marker = page.getByRole('link', { name: '[1]' });
    const source = page.getByRole('listitem').filter({ hasText: 'Zephyr Bridge opens' });
    const isMarked = async () => [await marker.getAttribute('class'), await source.getAttribute('class')];
    expect(await isMarked()).toEqual(['marker', null]);
    await marker.hover();
    await page.locator('li.pointed-at').waitFor();
    expect(await isMarked()).toEqual(['marker pointed-at', 'pointed-at']);
    await page.getByRole('heading', { name: 'Playground' }).hover();
    await page.locator('li.pointed-at').waitFor({ state: 'detached' });
    await source.getByRole('link').focus();
    await page.locator('a.marker.pointed-at').waitFor();
    expect(await isMarked()).toEqual(['marker pointed-at', 'pointed-at']);
    expect(await marker.getAttribute('href')).toBe('https://example.org/zephyr/opening');
  });

  it('shows a hostile answer of 1.5 million characters as text, and only its start', async () => {
    const { url } = await openStage();
    const { page, complaints } = await openPage(browser(), `${url}/#/playground`);
    await ask(page, 'Be hostile');
    await page.getByText(/^Only the first 100,000 characters are shown; 1,\d{3},\d{3} are left out\.$/).waitFor();
    expect(await page.locator('.answer-text').first().innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('searches, and shows hostile pages as text', async () => {
    const { url } = await openStage();
    const { page, complaints } = await openPage(browser(), `${url}/#/playground`);
    await page.getByLabel('Model', { exact: true }).selectOption('exa/find');
    await page.getByText('search · exa/find · $0.007 a call, $0.001 a result beyond 10 · content').waitFor();
    await page.getByLabel('Query', { exact: true }).fill('When did it open?');
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('Most results', { exact: true }).fill('12');
    await page.getByLabel('Text of the pages', { exact: true }).selectOption('yes');
    await page.getByLabel('Only these sites', { exact: true }).fill('example.org');
    await page.getByText('Options · 3').waitFor();
    await page.getByText('Request as code').click();
    expect(await page.locator('details pre').innerText()).toMatch(
      /curl \S+\/api\/v1\/search \\.*"search":\{"include_domains":\["example.org"\]\},"max_results":12,"include_content":true\}'/s,
    );
    await press(page, 'Search');
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText('Complete, with 2 results.').waitFor();
    const [first, hostile] = await results.getByRole('listitem').all();
    expect(await first?.innerText()).toMatch(/^Leave example\.org\s+Thirty\.\s+2026-11-02 · score 0\.87$/);
    const text = (await hostile?.innerText()) ?? '';
    for (const part of [HOSTILE.title, HOSTILE.snippet, HOSTILE.text.slice(0, 1_000)]) expect(text).toContain(part);
    expect(text).toContain('Only the first 50,000 characters are shown.');
    for (const link of await results.getByRole('link').all()) {
      expect(await link.getAttribute('href')).toMatch(/^https:/);
      expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
        '_blank',
        'noopener noreferrer',
      ]);
    }
    expect(await page.locator('main img, main script').count()).toBe(0);
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText(/^sch_/).waitFor();
    await figures.getByText('$0.009', { exact: true }).waitFor();
    await view(page, 'Requests');
    await page.getByRole('row').filter({ hasText: 'exa/find' }).getByRole('cell', { name: 'search' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('reads pages with a typed-in key, and names the pages that failed', async () => {
    const { url, administration } = await openStage();
    const { secret } = await administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
    const { page } = await openPage(browser(), `${url}/#/playground`);
    await page.getByLabel('Ask as', { exact: true }).selectOption('key');
    await page.getByLabel('API key', { exact: true }).fill(secret);
    await page.getByLabel('Model', { exact: true }).selectOption('exa/read');
    const read = async (addresses: string) => {
      await page.getByLabel('Addresses, one per line', { exact: true }).fill(addresses);
      await press(page, 'Read');
    };
    await read('https://example.org/a\n\n https://example.org/gone ');
    const pages = page.getByRole('region', { name: 'Pages' });
    await pages.getByText('Complete, with 1 page; 1 failed.').waitFor();
    const box = pages.getByRole('region', { name: 'Text of https://example.org/a' });
    expect((await box.boundingBox())?.height).toBeLessThan(300);
    expect(await box.innerText()).toContain('<img src=x onerror=alert(1)>[1](javascript:alert(1))');
    const failed = pages.getByRole('list', { name: 'Failed pages' });
    expect(await failed.innerText()).toBe('page_not_found https://example.org/gone example.org');
    await page.getByRole('region', { name: 'Figures' }).getByText('$0.002', { exact: true }).waitFor();

    await read('https://example.org/gone');
    await page.getByRole('alert').getByText('no_page_extracted').waitFor();
    await failed.getByText('page_not_found').waitFor();
    await read('http://127.0.0.1/');
    await page.getByRole('alert').getByText('400 invalid_field').waitFor();
    expect(await failed.count()).toBe(0);
  });

  it('sorts documents, and shows hostile ones as text', async () => {
    const { url } = await openStage();
    const { page, complaints } = await openPage(browser(), `${url}/#/playground`);
    await page.getByLabel('Model', { exact: true }).selectOption('exa/rank');
    await page.getByText('rerank · exa/rank · $0.002 per 100 documents').waitFor();
    await page.getByLabel('Query', { exact: true }).fill('When did it open?');
    await page.getByLabel('Documents, one per line', { exact: true }).fill(`It opened.\n\n ${HOSTILE.title} `);
    await press(page, 'Sort');
    const documents = page.getByRole('region', { name: 'Documents' });
    await documents.getByText('Complete, with 2 documents.').waitFor();
    const items = await documents.getByRole('listitem').allInnerTexts();
    expect(items.map((text) => text.split(/\s*\n+/))).toEqual([
      [HOSTILE.title, 'document 2 · score 0.2'],
      ['It opened.', 'document 1 · score 0.1'],
    ]);
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText(/^rnk_/).waitFor();
    await figures.getByText('$0.002', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('makes vectors, and shows their length and their first numbers alone', async () => {
    const { url } = await openStage();
    const { page, complaints } = await openPage(browser(), `${url}/#/playground`);
    await page.getByLabel('Model', { exact: true }).selectOption('exa/embed');
    await page.getByText('embedding · exa/embed · $100 per 1M tokens').waitFor();
    await page
      .getByLabel('Texts, one per line', { exact: true })
      .fill(Array.from({ length: 101 }, (_, at) => `text ${at}`).join('\n'));
    await press(page, 'Embed');
    const vectors = page.getByRole('region', { name: 'Vectors' });
    await vectors.getByText('Complete, with 101 vectors.').waitFor();
    const items = await vectors.getByRole('listitem').allInnerTexts();
    expect(items).toHaveLength(100);
    expect(new Set(items)).toEqual(
      new Set(['1,536 numbers: 0.0009766, 0.001953, 0.002930, 0.003906, 0.004883, 0.005859, 0.006836, 0.007813, …']),
    );
    await vectors.getByText('Only the first 100 are shown.').waitFor();
    await page.getByRole('region', { name: 'Figures' }).getByText('$0.101', { exact: true }).waitFor();
    await view(page, 'Requests');
    await page.getByRole('row').filter({ hasText: 'exa/embed' }).getByRole('cell', { name: 'embeddings' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('makes no link of a script, whatever the gateway replies', async () => {
    const { url } = await openStage();
    const { page } = await openPage(browser(), `${url}/#/playground`);
    const script = { title: 'a script', url: 'javascript:alert(1)', snippet: '', date: null, score: null };
    const json = { id: 'sch_1', model: 'exa/find', results: [script], usage: { results: 1, cost: 0 } };
    await page.route('**/api/v1/ask/search', (route) => route.fulfill({ json }));
    await page.getByLabel('Model', { exact: true }).selectOption('exa/find');
    await page.getByLabel('Query', { exact: true }).fill('When?');
    await press(page, 'Search');
    await page.getByRole('listitem').getByText('a script').waitFor();
    expect(await page.getByRole('region', { name: 'Results' }).getByRole('link').count()).toBe(0);
  });

  it('shows the gateway’s refusal next to the question', async () => {
    const { url } = await openStage();
    const { page } = await openPage(browser(), `${url}/#/playground`);
    await page.getByLabel('Ask as', { exact: true }).selectOption('key');
    await page.getByLabel('API key', { exact: true }).fill('sg_a-key-that-never-was');
    await ask(page, 'When did it open?');
    await page.getByRole('alert').getByText('401 invalid_api_key').waitFor();
    await page.getByLabel('Ask as', { exact: true }).selectOption('host');
    await ask(page, 'Please fail');
    await page.getByRole('alert').getByText('upstream_error').waitFor();
    await view(page, 'Requests');
    await page.getByRole('cell', { name: '502 failed to handle the call' }).waitFor();
    await page.getByRole('button', { name: 'Rescued', exact: true }).click();
    await page.getByText('No request fits.').waitFor();
  });

  it('shows the request as code, with a placeholder for the key', async () => {
    const { url, origin } = await openStage();
    const { page } = await openPage(browser(), `${url}/#/playground`);
    await page.getByLabel('Ask as', { exact: true }).selectOption('key');
    await page.getByLabel('API key', { exact: true }).fill('sg_typed-in');
    await page.getByLabel('Question', { exact: true }).fill('When?');
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('Published within', { exact: true }).selectOption('week');
    await page.getByLabel('Only these sites', { exact: true }).fill('example.org, example.com');
    await page.getByText('Request as code').click();
    const code = await page.locator('details pre').innerText();
    expect(code).toContain(`curl -N ${origin}/deep/prefix/search/api/v1/answer`);
    expect(code).toContain('"search":{"include_domains":["example.org","example.com"],"freshness":"week"}');
    expect(code).toContain('Bearer $SEARCHGATE_API_KEY');
    expect(await page.content()).not.toContain('sg_typed-in');
  });

  it('creates an organization, grants it credits once, limits it, and suspends it', async () => {
    const { url, administration } = await openStage();
    const { page, complaints } = await openPage(browser(), `${url}/#/organizations`);
    await press(page, 'Create an organization');
    await page.getByLabel('Id', { exact: true }).fill('initech');
    await press(page, 'Create');
    await press(page, 'Grant credits');
    await page.getByLabel('Amount in USD', { exact: true }).fill('12.50');
    await press(page, 'Grant');
    await page.getByText('$12.50').first().waitFor();
    await press(page, 'Set limits');
    await page.getByLabel('Requests per period', { exact: true }).fill('60');
    await press(page, 'Save');
    await page.getByText('60 in 60 s').waitFor();
    await press(page, 'Suspend');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText(/suspended \d/).waitFor();
    const account = await administration.organizations.get('initech');
    expect(account).toMatchObject({ rateLimit: { requests: 60, periodMs: 60_000 }, maxConcurrent: null });
    expect(account?.suspendedAtMs).not.toBeNull();
    expect(complaints).toEqual([]);
  });

  it('changes and rotates a key', async () => {
    const { url, administration, ask: askDirectly } = await openStage();
    const { key, secret } = await administration.apiKeys.create({ organizationId: 'acme', label: 'nightly' });
    const { page } = await openPage(browser(), `${url}/#/keys`);
    await press(page, 'Change nightly');
    await page.getByLabel('Limit in USD', { exact: true }).fill('7.5');
    await page.getByLabel('Limit starts over', { exact: true }).selectOption('monthly');
    const filter = page.getByLabel('Filter allowed models', { exact: true });
    await filter.pressSequentially('REPORT');
    await filter.press('Enter');
    await page.getByLabel('exa/report', { exact: true }).press('Space');
    await filter.fill('answer');
    await page.getByLabel('exa/answer', { exact: true }).press('Space');
    await page
      .getByRole('status')
      .getByText(/^2 of \d+ chosen$/)
      .waitFor();
    await page.getByLabel('Expires (UTC)', { exact: true }).fill('2099-12-31T00:00');
    await press(page, 'Save');
    await page.getByText('$7.50 monthly').waitFor();
    expect(await administration.apiKeys.get(key.id)).toMatchObject({
      limitReset: 'monthly',
      allowedModels: ['exa/answer', 'exa/report'],
      expiresAtMs: Date.UTC(2099, 11, 31),
    });
    await press(page, 'Rotate nightly');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const newSecret = await page.getByLabel('Secret', { exact: true }).inputValue();
    expect([await askDirectly(secret), await askDirectly(newSecret)]).toEqual([200, 200]);
  });

  it('shows the secret of a new key until it is copied or confirmed as stored, whatever is pressed', async () => {
    const { url, administration } = await openStage();
    await administration.organizations.create({ id: 'acme' });
    const { page } = await openPage(browser(), `${url}/#/keys`);
    const leave = async (script: string) => {
      const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.evaluate(`setTimeout(() => ${script})`)]);
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
    };
    const create = async (label: string) => {
      await press(page, 'Create a key');
      await page.getByRole('dialog').getByLabel('Organization', { exact: true }).fill('acme');
      await page.getByLabel('Label', { exact: true }).fill(label);
      await press(page, 'Create');
      return page.getByLabel('Secret', { exact: true }).inputValue();
    };
    const secret = await create('first');
    const shown = () => page.getByRole('dialog').getByLabel('Secret', { exact: true });
    for (let time = 0; time < 3; time += 1) await page.keyboard.press('Escape');
    await page.mouse.click(2, 2);
    await leave('history.back()');
    await leave('location.reload()');
    await page.evaluate("location.hash = '#/explore'");
    await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor();
    expect(await shown().inputValue()).toBe(secret);
    await press(page, 'I have stored it');
    expect(await shown().count()).toBe(0);

    await view(page, 'Keys');
    await create('second');
    await shown().press('Control+a');
    await shown().press('Control+c');
    await page.keyboard.press('Escape');
    await shown().waitFor({ state: 'detached' });
  });

  it('shows viewers only their organizations, and no forbidden button', async () => {
    const { url, administration } = await openStage();
    await administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
    await administration.apiKeys.create({ organizationId: 'house', label: 'of-another' });
    const { page } = await openPage(browser(), `${url}/#/keys`, { user: 'viewer' });
    await page.getByRole('rowheader', { name: 'web-shop' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').allInnerTexts()).toEqual([]);
    await view(page, 'Organizations');
    await page.getByText('$250.00').first().waitFor();
    expect(await page.getByRole('main').getByRole('button').allInnerTexts()).toEqual([]);
    expect(await page.getByText('of-another').count()).toBe(0);
    await view(page, 'Playground');
    await page.getByLabel('API key', { exact: true }).waitFor();
    expect(await page.getByLabel('Ask as', { exact: true }).count()).toBe(0);
  });

  it('downloads what is shown as CSV', async () => {
    const stage = await openStage();
    const { secret } = await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
    await stage.ask(secret);
    await logged(stage);
    const { page } = await openPage(browser(), `${stage.url}/#/explore`);
    await page.getByLabel('Split by', { exact: true }).selectOption('organization');
    await page.getByRole('columnheader', { name: 'Organization' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^calls-organization-.*\.csv$/);
  });
});
