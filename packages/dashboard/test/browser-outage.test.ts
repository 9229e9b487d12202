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
