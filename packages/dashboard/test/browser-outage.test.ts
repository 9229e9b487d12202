import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';

const browser = useBrowser();

it('says on every view that the ledger is down and since when, until it is back', async () => {
  const stage = await openStage();
  const { admit } = stage.ledger;
  const hang = () => new Promise<never>(() => undefined);
  // The gateway asks whether the ledger can write.
  Object.assign(stage.ledger, { admit: hang });
  const { page } = await openPage(browser(), `${stage.url}/#/changes`);
  const notice = page.getByRole('alert').filter({ hasText: 'The ledger is down since 20' });
  await notice.waitFor();
  const year = new Date().getUTCFullYear();
  expect(await notice.innerText()).toMatch(
    new RegExp(`since ${year}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC: calls are refused`),
  );
  await page.getByRole('link', { name: 'Playground' }).click();
  await notice.waitFor();
  Object.assign(stage.ledger, { admit });
  await notice.waitFor({ state: 'detached' });
});

it('says that the request log and that a provider are down, what callers see, and where the runbook is', async () => {
  const stage = await openStage();
  const { secret } = await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop' });
  Object.assign(stage.log, { append: () => Promise.reject(new Error('disk full')) });
  expect(await stage.ask(secret)).toBe(200);
  const { page, complaints } = await openPage(browser(), `${stage.url}/#/organizations`);
  const log = page.getByRole('alert').filter({ hasText: /request log is down since .* served and charged as ever/ });
  await log.getByRole('link', { name: 'Runbook: SearchgateRequestLogDropped' }).waitFor();

  const paused = { of: 'provider', provider: 'exa', since: null, models: ['exa/a', 'exa/b', 'exa/c', 'exa/d'] };
  await page.route('**/api/v1/health', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), outages: [paused] } });
  });
  const notice = page.getByRole('alert').filter({ hasText: 'exa is paused after failures: calls of 4 models' });
  await notice.getByText('(exa/a, exa/b, exa/c and 1 more) get their fallback, or 503').waitFor();
  expect(await log.count()).toBe(0);
  const address = await notice.getByRole('link', { name: 'Runbook' }).getAttribute('href');
  const [, chapter = ''] = address?.split('#') ?? [];
  const runbook = readFileSync(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');
  expect(runbook.toLowerCase()).toContain(`\n## ${chapter}\n`);
  await notice.getByRole('link', { name: 'Its calls' }).click();
  await page.waitForURL(/#\/requests\?attempted=exa$/);
  expect(complaints).toEqual([]);
});
