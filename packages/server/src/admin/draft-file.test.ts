import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withDraft } from './draft-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'draft-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a process that writes half a draft, and kills it. */
async function endWhileWriting(signal: NodeJS.Signals): Promise<void> {
  const source = `
    import { writeFileSync } from 'node:fs';
    import { withDraft } from ${JSON.stringify(new URL('draft-file.ts', import.meta.url).href)};
    await withDraft(${JSON.stringify(join(folder, 'old.gz.draft'))}, async (draft) => {
      writeFileSync(draft, 'half');
      console.log('written');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(readdirSync(folder)).toHaveLength(1);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([null, signal]);
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('leaves no draft behind when %s ends the process', async (signal) => {
  await endWhileWriting(signal);
  expect(readdirSync(folder)).toEqual([]);
});

it('overwrites the draft of a killed run', async () => {
  await endWhileWriting('SIGKILL');
  expect(readdirSync(folder)).toEqual(['old.gz.draft']);
  await withDraft(join(folder, 'old.gz.draft'), async (draft) => writeFileSync(draft, 'whole', { flag: 'wx' }));
  expect(readdirSync(folder)).toEqual([]);
});
