import { startChromium } from '@searchgate-internal/test-servers';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** Against hanging: a busy machine takes its time. */
const START_TIMEOUT_MS = 60_000;

/** The Chromium installed on this machine, for the tests of a file. Where there is none, they are skipped. @returns what gives it to a test. */
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

/** What a page has done that it must not do. */
interface WatchedPage {
  readonly page: Page;
  /** Errors, warnings and violations of the Content-Security-Policy, as the console shows them. */
  readonly complaints: readonly string[];
  /** Every address that was asked for. */
  readonly requested: readonly string[];
}

interface PageOptions extends BrowserContextOptions {
  /** Default: the operator. */
  readonly user?: string;
}

/** Opens an address in a page of its own, which is there until the end of the test. */
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
