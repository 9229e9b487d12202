import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage } from './browser/stage.js';

const browser = useBrowser();

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const answerOf = (page: Page, model: string) => page.getByRole('region', { name: `Answer of ${model}` });
/** Chooses a model to compare with, or leaves it out, by the keyboard alone. */
async function toggle(page: Page, ...models: readonly string[]): Promise<void> {
  await page.getByText('Compare with…').press('Enter');
  for (const model of models) {
    await page.getByLabel('Filter models', { exact: true }).fill(model);
    await page.getByLabel(model, { exact: true }).press('Space');
  }
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Compare with…');
}

/** The bodies of calls from now on. The page also looks at its server's health. */
function postedBy(page: Page): readonly unknown[] {
  const bodies: unknown[] = [];
  page.on('request', (request) => request.method() === 'POST' && bodies.push(request.postDataJSON()));
  return bodies;
}

it('adds models by the keyboard, and shows their answers as they come, side by side', async () => {
  const stage = await openStage();
  const { page, complaints } = await openPage(browser(), `${stage.url}/#/playground`);
  await page.getByLabel('Question', { exact: true }).fill('Wait: when did it open?');
  await toggle(page, 'perplexity/sonar', 'exa/report');
  await page
    .getByText(/^asks 3 models · exa.answer: \$0\.005 .* · exa.report: .* · perplexity.sonar: .* · charged to/)
    .waitFor();

  await page.getByText('Options', { exact: true }).click();
  await page.getByLabel('Country · 1 of 3 models', { exact: true }).fill('DE');
  const asked = postedBy(page);
  await press(page, 'Ask');
  for (const model of ['exa/answer', 'perplexity/sonar', 'exa/report']) {
    await answerOf(page, model).getByText('The Zephyr Bridge opened on 14 May 2021').waitFor();
    await answerOf(page, model).getByText('Answering…').waitFor();
  }
  const query = 'Wait: when did it open?';
  expect(asked).toMatchObject([
    { model: 'exa/answer', query, search: { country: 'DE' } },
    { model: 'exa/report', query },
    { model: 'perplexity/sonar', query },
  ]);
  expect(JSON.stringify(asked).split('country')).toHaveLength(2);
  stage.finish();
  await page.getByText('3 of 3 models have ended. 3 of 3 sources come from two or more models.').waitFor();
  for (const [model, cost] of Object.entries({
    'exa/answer': '0.005',
    'perplexity/sonar': '0.005',
    'exa/report': '0.05',
  }))
    await answerOf(page, model)
      .getByText(new RegExp(`^Cost \\$${cost} · First text .*s · Time .*s$`))
      .waitFor();
  expect(await page.getByText('by 3 models').count()).toBe(9);
  const request = page.getByRole('region', { name: 'Figures of exa/report' }).getByRole('link', { name: /^req_/ });
  expect(await request.getAttribute('href')).toBe(`#/requests?request=${await request.innerText()}`);

  await toggle(page, 'perplexity/sonar', 'exa/report');
  await page.getByText(/^answer · /).waitFor();
  expect(complaints).toEqual([]);
});

it('a refused call leaves the others alone, and Stop ends all that are under way', async () => {
  const { url, administration } = await openStage();
  const allowedModels = ['exa/answer', 'exa/report'];
  const { secret } = await administration.apiKeys.create({ organizationId: 'acme', label: 'web-shop', allowedModels });
  const { page } = await openPage(browser(), `${url}/#/playground`);
  await toggle(page, 'perplexity/sonar', 'exa/report');
  await page.getByLabel('Ask as', { exact: true }).selectOption('key');
  await page.getByLabel('API key', { exact: true }).fill(secret);
  await page.getByLabel('Question', { exact: true }).fill('Wait: when did it open?');
  await press(page, 'Ask');
  for (const model of allowedModels) await answerOf(page, model).getByText('Answering…').waitFor();
  await answerOf(page, 'perplexity/sonar').getByText('403 model_not_allowed').waitFor();
  await page.getByText('1 of 3 models have ended.').waitFor();
  const asked = postedBy(page);
  await press(page, 'Stop');
  for (const model of allowedModels)
    await answerOf(page, model)
      .getByText(/^Stopped here/)
      .waitFor();
  await answerOf(page, 'perplexity/sonar').getByText('403 model_not_allowed').waitFor();
  expect(asked).toEqual([]);
});

it('asks a question of the history again of other models, and keeps the models over views', async () => {
  const { url } = await openStage();
  const { page } = await openPage(browser(), `${url}/#/playground`);
  await page.getByLabel('Question', { exact: true }).fill('When did it open?');
  await press(page, 'Ask');
  await page.getByText('Complete, with 3 sources.').waitFor();
  await page.getByLabel('Question', { exact: true }).fill('');
  await page.getByLabel('Model', { exact: true }).selectOption('perplexity/sonar');
  await toggle(page, 'exa/report');
  await page.getByRole('navigation').getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Health' }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Playground' }).click();
  await page.getByText(/^Last questions/).click();
  await press(page, 'When did it open?');
  await press(page, 'Ask');
  await page.getByText('3 of 3 sources come from two or more models.').waitFor();
  expect(
    await page
      .getByRole('region', { name: /^Answer of/ })
      .getByRole('heading')
      .allInnerTexts(),
  ).toEqual(['perplexity/sonar', 'exa/report']);
});
