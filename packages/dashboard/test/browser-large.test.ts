import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type LoggedRequest, systemClock } from '@searchgate/core/ledger';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, useBrowser } from './browser/page.js';
import { openStage, type Stage } from './browser/stage.js';

const KEYS = 500;
const CALLS = 50_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const MODELS = ['exa/answer', 'perplexity/sonar', 'exa/report'] as const;
/** A folder for pictures of all views, to look at. */
const SHOTS = process.env['SEARCHGATE_SHOTS'];
const TIMEOUT_MS = 600_000;

const browser = useBrowser();

const owner = (index: number) => (index % 5 === 0 ? 'globex' : 'acme');

/** Makes keys with labels of 70 characters. @returns their ids. */
async function makeKeys({ administration }: Stage): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < KEYS; index += 1) {
    const label = `${index} reads the news of the industry each morning and writes a summary`
      .padEnd(70, '.')
      .slice(0, 70);
    const limit = index % 3 === 0 ? { limit: '25.00', limitReset: 'monthly' as const } : {};
    const { key } = await administration.apiKeys.create({ organizationId: owner(index), label, ...limit });
    if (index % 50 === 0) await administration.apiKeys.revoke(key.id);
    ids.push(key.id);
  }
  return ids;
}

/** A call as it stands in the log: every fortieth failed. */
function callOf(call: number, keyId: string, atMs: number): LoggedRequest {
  const model = MODELS[call % 3] ?? MODELS[0];
  const cost = call % 40 === 0 ? null : BigInt(1_000_000 + (call % 977) * 10_000);
  const durationMs = 400 + (call % 613);
  return {
    requestId: `req_${call}`,
    answerId: cost === null ? null : `ans_${call}`,
    atMs,
    endpoint: 'answer',
    keyId,
    organizationId: owner((call * call) % KEYS),
    budgets: [],
    byok: false,
    tag: call % 7 === 0 ? `a tag as long as a caller may find useful, number ${call % 9}` : null,
    modelAsked: model,
    model,
    provider: model.split('/')[0] ?? '',
    status: cost === null ? 502 : 200,
    reason: cost === null ? 'upstream_error' : null,
    stream: call % 2 === 0,
    cache: null,
    cost,
    upstreamCost: cost,
    loss: 0n,
    durationMs,
    upstreamMs: durationMs - 5,
    firstPartMs: null,
    cause: null,
    attempted: [],
    attemptCount: 0,
    rescued: false,
    attempts: [],
  };
}

/** A stage with 500 keys and the calls of a month. @returns it with the id of a key. */
async function openLargeStage(): Promise<{ stage: Stage; key: string }> {
  const startMs = Date.now();
  let nowMs: number | undefined = startMs - DAYS * DAY_MS;
  const stage = await openStage('Express 5', { ...systemClock, now: () => nowMs ?? Date.now() });
  const { administration, ledger, log } = stage;
  for (const id of ['acme', 'globex']) {
    await administration.organizations.create({ id, name: `${id} incorporated` });
    await administration.grant({ organizationId: id, amount: '900.00', grantId: id });
  }
  for (const [id, mode] of Object.entries({
    'team:research': 'enforce',
    'team:launch': 'warn',
    'team:near': 'warn',
  } as const))
    await administration.budgets.set('acme', { id, limit: id === 'team:near' ? '2.20' : '2.00', mode });
  const budgets = ['team:research', 'team:launch', 'team:near'];
  await administration.adjust({ organizationId: 'acme', amount: '2.00', note: 'spent elsewhere', budgets });
  const ids = await makeKeys(stage);
  const rows: LoggedRequest[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    nowMs = startMs - Math.floor((1 - call / CALLS) * DAYS * DAY_MS);
    const row = callOf(call, ids[(call * call) % KEYS] ?? '', nowMs);
    rows.push(row);
    const { cost, keyId, organizationId, model, provider, answerId } = row;
    if (cost === null || answerId === null || model === null || provider === null) continue;
    const expiresAtMs = nowMs + 1_000;
    await ledger.hold({ keyId, organizationId, holdId: answerId, model, keyLimit: null, amount: cost, expiresAtMs });
    await ledger.settle(answerId, { model, provider, cost, costSource: 'flat', upstreamCost: cost });
  }
  await log.append(rows);
  nowMs = undefined;
  return { stage, key: ids[1] ?? '' };
}

/** Each address, and what shows that it is loaded. */
const VIEWS = (key: string): Readonly<Record<string, readonly [hash: string, loaded: RegExp]>> => ({
  overview: ['overview', /^No balance|Last alerts/],
  playground: ['playground', /^answer · /],
  explore: ['explore?range=30d', /^From the request log|^Nothing was called/],
  'explore-keys': ['explore?by=key', /^Charges from the ledger|^Nothing was called/],
  keys: ['keys', /^Keys of all organizations|^No keys yet/],
  key: [`keys?key=${key}`, /^By model|^Nothing was used/],
  organizations: ['organizations', /^Organizations, in USD|^No organizations yet/],
  organization: ['organizations?organization=acme', /^Granted$|^There is nothing of this name/],
  requests: ['requests', /requests, newest first$|^No request fits/],
  changes: ['changes', /^Changes, newest first|^No change fits/],
  health: ['health', /^Latencies and failures/],
});

async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(' ')
        .slice(0, 500)}`,
  );
}

it.each(['empty', 'large'])(
  'a deployment that is %s fits each view, in light and dark, wide and narrow',
  async (size) => {
    const { stage, key } = size === 'large' ? await openLargeStage() : { stage: await openStage(), key: 'sg_none' };
    const wrongs: Record<string, unknown> = {};
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 380]) {
        const viewport = { width, height: 800 };
        const { page } = await openPage(browser(), `${stage.url}/#/overview`, { colorScheme, viewport });
        for (const [name, [hash, loaded]] of Object.entries(VIEWS(key))) {
          await page.evaluate(`location.hash = '#/${hash}'`);
          await page.getByText(loaded).first().waitFor();
          await page.locator('.skeleton').first().waitFor({ state: 'detached' });
          const over = Number(await page.evaluate('document.documentElement.scrollWidth')) - width;
          // Pages differ by color and by width, not by both.
          const found = (colorScheme === 'light') === (width === 1280) ? await barriers(page) : [];
          const wrong = [...found, ...(over > 0 ? [`${over} px too wide`] : [])];
          if (wrong.length > 0) wrongs[`${name} ${colorScheme} ${width}`] = wrong;
          if (SHOTS !== undefined) {
            mkdirSync(SHOTS, { recursive: true });
            await page.screenshot({ path: join(SHOTS, `${size}-${name}-${colorScheme}-${width}.png`) });
          }
        }
      }
    }
    expect(wrongs).toEqual({});
  },
  TIMEOUT_MS,
);

it('shows what a key used and its limit at both widths, however long its label', async () => {
  const stage = await openStage();
  const label = 'a key whose label is as long as someone who reads it may ever want it'.padEnd(70, '.');
  await stage.administration.apiKeys.create({ organizationId: 'acme', label, limit: '25.00', limitReset: 'monthly' });
  for (const width of [1280, 380]) {
    const { page } = await openPage(browser(), `${stage.url}/#/keys`, { viewport: { width, height: 800 } });
    const cells = page.getByRole('row').nth(1).getByRole('cell');
    await cells.first().waitFor();
    for (const index of [0, 1]) {
      const box = await cells.nth(index).boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? width + 1)).toBeLessThanOrEqual(width);
    }
    expect(await page.getByTitle(label).count()).toBe(1);
  }
});
