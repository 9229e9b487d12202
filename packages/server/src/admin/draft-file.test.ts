import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeAllDrafts, withDraft } from './draft-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'draft-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NAME = 'old.gz.00000000-1.0f8fad5b-d9cb-469f-a165-70867728950e.draft';

/** Runs a process that has written half a draft, and ends it. */
async function endWhileWriting(signal: NodeJS.Signals): Promise<void> {
  const source = `
    import { writeFileSync } from 'node:fs';
    import { withDraft } from ${JSON.stringify(new URL('draft-file.ts', import.meta.url).href)};
    await withDraft(${JSON.stringify(join(folder, 'old.gz'))}, async (draft) => {
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

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('leaves nothing behind where %s ends the process', async (signal) => {
  await endWhileWriting(signal);
  expect(readdirSync(folder)).toEqual([]);
});

const nothing = () => Promise.resolve();
it.each([
  ['writes the same file', () => withDraft(join(folder, 'old.gz'), nothing)],
  ['is the only one there is', () => removeAllDrafts(join(folder, 'old.gz'))],
])('removes at once what a killed run left behind, in a run that %s', async (_which, run) => {
  await endWhileWriting('SIGKILL');
  expect(readdirSync(folder)).toHaveLength(1);
  await run();
  expect(readdirSync(folder)).toEqual([]);
});

it('removes what another machine left behind once it is old, and nothing else', async () => {
  const others = ['old.gz.draft', 'old.gz.mine.draft', `other.${NAME}`, NAME.replace('.draft', '')];
  for (const name of [NAME, ...others]) {
    writeFileSync(join(folder, name), 'half');
    utimesSync(join(folder, name), 0, 0);
  }
  const running = NAME.replace('0f8f', 'ffff');
  writeFileSync(join(folder, running), 'half');
  await withDraft(join(folder, 'old.gz'), async (draft) => {
    writeFileSync(draft, 'whole');
    await withDraft(join(folder, 'old.gz'), nothing);
    expect(readdirSync(folder)).toHaveLength(others.length + 2);
  });
  expect(readdirSync(folder).sort()).toEqual([...others, running].sort());
  await removeAllDrafts(join(folder, 'old.gz'));
  expect(readdirSync(folder).sort()).toEqual(others.sort());
});
