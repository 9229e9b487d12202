import { startChromium } from '@searchgate-internal/test-servers';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** Long, for a busy machine. */
const START_TIMEOUT_MS = 60_000;

/** The installed Chromium, for the tests of a file. Without Chromium the tests are skipped. @returns the browser of a running test. */
export function useBrowser(): () => Browser {
  let started: Awaited<ReturnType<typeof startChromium>>;
  const browser = () => {
    if ('reason' in started) throw new Error(started.reason);
    return started;
  };
  beforeAll(async () => {
    started = await startChromium();
  }, START_TIMEOUT_MS);
  beforeEach(({ skip }) => {
    if ('reason' in started) skip(started.reason);
  });
  afterAll(async () => {
    if (!('reason' in started)) await started.close();
  });
  return browser;
}

/** Forbidden actions of a page. */
interface WatchedPage {
  readonly page: Page;
  /** Errors, warnings and policy violations in the console. */
  readonly complaints: readonly string[];
  /** All requested addresses. */
  readonly requested: readonly string[];
}

interface PageOptions extends BrowserContextOptions {
  /** Default: the operator. */
  readonly user?: string;
}

/** Opens an address in a new page, which stays open until the end of the test. */
export async function openPage(browser: Browser, url: string, { user = 'operator', ...options }: PageOptions = {}) {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  await context.addCookies([{ name: 'user', value: user, url: new URL(url).origin }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => requested.push(request.url()));
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  const watched: WatchedPage = { page, complaints, requested };
  return watched;
}
