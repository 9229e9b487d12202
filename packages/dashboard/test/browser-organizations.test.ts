import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';

const browser = useBrowser();

it('finds organizations while typing, shows all and exact amounts by keyboard alone, and opens one', async () => {
  const stage = await openStage();
  const { organizations, grant } = stage.administration;
  for (let index = 100; index < 220; index += 1) await organizations.create({ id: `team-${index}` });
  await organizations.create({ id: 'acme', name: 'Research & Co' });
  await grant({ organizationId: 'acme', amount: '0.123456789', grantId: 'g' });
  const { page, complaints } = await openPage(browser(), `${stage.url}/#/organizations`);
  const rows = page.getByRole('region', { name: 'Organizations, in USD' }).getByRole('rowheader');
  const more = page.getByRole('button', { name: 'Show more' });
  await more.press('Enter');
  await page.getByRole('status').getByText('121 are shown').waitFor();
  expect(await rows.count()).toBe(121);
  // The button has the focus also behind the last page, where it does nothing.
  expect(await page.evaluate('document.activeElement.innerText')).toBe('That is all');
  await page.keyboard.press('Enter');

  const steps = await page.evaluate('history.length');
  const search = page.getByLabel('Search', { exact: true });
  await search.pressSequentially('search & co');
  await page.waitForURL(/#\/organizations\?search=search\+%26\+co$/);
  await page.getByRole('row', { name: 'team-100' }).waitFor({ state: 'detached' });
  expect([await rows.allInnerTexts(), await page.evaluate('history.length')]).toEqual([['acme Research & Co'], steps]);
  await page.getByRole('cell', { name: '$250.12', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Exact amounts' }).press('Space');
  await page.getByRole('cell', { name: '$250.123456789', exact: true }).waitFor();

  await page.getByRole('link', { name: 'acme', exact: true }).click();
  await page.getByRole('heading', { name: 'Research & Co' }).waitFor();
  const links = page.getByRole('main').locator('.links').getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(addresses).toEqual(
    ['organizations', ...['keys', 'requests', 'explore'].map((view) => `${view}?organization=acme`)].map(
      (link) => `#/${link}`,
    ),
  );
  await page.goBack();
  expect(await search.inputValue()).toBe('search & co');
  expect(complaints).toEqual([]);
});

it.each([1280, 390])('holds the place of what is loading, %d pixels wide', async (width) => {
  const stage = await openStage();
  await stage.administration.organizations.create({ id: 'acme' });
  const { page } = await openPage(browser(), stage.url, { viewport: { width, height: 800 } });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/v1/organizations/acme', async (route) => {
    await released;
    await route.continue();
  });
  await page.evaluate("location.hash = '#/organizations?organization=acme'");
  const boxes = async (tiles: string) => {
    await page.locator(tiles).first().waitFor();
    const all = await page.locator(tiles).all();
    return Promise.all(all.map((tile) => tile.boundingBox()));
  };
  const held = await boxes('.skeleton .tile');
  release();
  expect(await boxes('main > .tiles .tile')).toEqual(held);
});
