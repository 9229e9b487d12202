/**
 * Packs every published package and checks the tarballs as a user gets them: publint, are-the-types-wrong, a dry run of the release, and installations into
 * CJS, ESM and TypeScript consumers, into servers on Node, Bun and Deno, and as the standalone server,
 * from the tarballs and as in the container image.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConsumers, installConsumers } from './pack/consumers.js';
import { checkImage } from './pack/image.js';
import { makeRelease } from './pack/release.js';
import { checkRuntimes } from './pack/runtimes.js';
import { checkServer } from './pack/server.js';
import { checkTarball, packPackages } from './pack/tarballs.js';

const scratch = mkdtempSync(join(tmpdir(), 'searchgate-pack-'));
try {
  const packed = packPackages(scratch);
  packed.forEach(checkTarball);
  makeRelease(packed, scratch);
  const consumers = installConsumers(packed, scratch);
  checkConsumers(packed, consumers);
  checkRuntimes(consumers);
  checkServer(packed, scratch);
  checkImage(scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
