import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const MEASURE = join(import.meta.dirname, 'body-memory/measure.ts');

/** The bytes themselves, half as much for slack, and the buffers of both ends of a connection. */
const MOST = 2;

// Chunks may have one byte. A list of them takes 200 times as much.
describe('an endless body sent byte by byte takes no more memory than its limit', () => {
  it.each([
    ['of node:http', MOST],
    ['of node:http, while its caller is looked up', MOST],
    ['over fetch', MOST],
    ['of a reply', MOST],
    ['of one event of a stream', MOST],
    // Stored twice: as a line of a stream, and as the alternative.
    ['of a reply that is no stream, where one was asked for', MOST + 1],
  ])('%s', async (reader, most) => {
    const script = ['--expose-gc', '--conditions=@searchgate/source', '--import', 'tsx/esm', MEASURE, reader];
    // Ends when most of the bodies have arrived.
    const { stdout } = await run(process.execPath, script, { timeout: 50_000 });
    expect(Number(stdout)).toBeLessThan(most);
  });
});

// A list of all words would take eighteen bytes per character, and crash this process.
it('tidying a title of many short words takes a few times its size', async () => {
  const module = pathToFileURL(join(import.meta.dirname, '../src/text/page-fields.ts')).href;
  const code = `const { plainText } = await import('${module}'); console.log(plainText('ab\\tcd '.repeat(400_000)).length);`;
  const heap = ['--max-old-space-size=24', '--max-semi-space-size=1'];
  const { stdout } = await run(process.execPath, [
    ...heap,
    '--import',
    'tsx/esm',
    '--input-type=module',
    '--eval',
    code,
  ]);
  expect(Number(stdout)).toBe(2_399_999);
});
