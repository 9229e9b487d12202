import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const MEASURE = join(import.meta.dirname, 'body-memory/measure.ts');

/** Twice the most bytes of a body, with the connection: the bytes themselves once, and half of that for room. */
const MOST = 2;

// Chunks may be of one byte. Kept as a list, each takes 200 times as much.
describe('a body that comes byte by byte and does not end takes no more memory than its limit', () => {
  it.each(['of node:http', 'of node:http, while its caller is looked up'])('%s', async (reader) => {
    const script = ['--expose-gc', '--conditions=@searchgate/source', '--import', 'tsx/esm', MEASURE, reader];
    const { stdout } = await run(process.execPath, script);
    const kept = Number(stdout);
    // Less than the body itself would mean that it has not come.
    expect(kept).toBeGreaterThan(0.9);
    expect(kept).toBeLessThan(MOST);
  });
});
