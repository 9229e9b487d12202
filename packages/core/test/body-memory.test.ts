import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const MEASURE = join(import.meta.dirname, 'body-memory/measure.ts');

/** The bytes themselves, as much again, and what a connection takes. */
const MOST = 2.5;

// Chunks may be of one byte. Kept as a list, each takes 200 times as much.
describe('a body that comes byte by byte and does not end takes no more memory than its limit', () => {
  it.each([
    'of node:http',
    'of node:http, while its caller is looked up',
    'over fetch',
    'of a reply',
    'of a reply that is no stream, where one was asked for',
    'of one event of a stream',
  ])('%s', async (reader) => {
    const script = ['--expose-gc', '--conditions=@searchgate/source', '--import', 'tsx/esm', MEASURE, reader];
    const { stdout } = await run(process.execPath, script);
    const kept = Number(stdout);
    // Less than the body itself would mean that it has not come.
    expect(kept).toBeGreaterThan(0.9);
    expect(kept).toBeLessThan(MOST);
  });
});
