import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Turns off all traffic but the page's own. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why there is no browser; the reason for skipping tests. */
export interface ChromiumUnavailable {
  readonly reason: string;
}

/**
 * Starts the Chromium installed on this machine. Without Chromium the reason is returned.
 *
 * @param folders where to look for the program. Default: the PATH.
 */
export async function startChromium(
  folders: readonly string[] = (process.env['PATH'] ?? '').split(delimiter),
): Promise<Browser | ChromiumUnavailable> {
  const executablePath = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: FLAGS });
  return { reason: 'no Chromium: there is no chromium on this machine (Debian: apt-get install chromium)' };
}
