import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { runProgram } from './run-program.js';

async function run(argv: readonly string[], environment: Record<string, string> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const ended = runProgram(argv, environment, { stdin, stdout, stderr });
  stdin.end();
  const code = await ended;
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

it('names the missing variable on stderr', async () => {
  expect(await run([], { SEARCHGATE_URL: 'http://127.0.0.1:1' })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'searchgate-mcp: SEARCHGATE_API_KEY is missing: the key to ask the gateway with.\nsearchgate-mcp --help says more.\n',
  });
});

it('prints its options', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--url'), stderr: '' });
});

it('serves until its input ends, without a call to the gateway', async () => {
  const environment = { SEARCHGATE_URL: 'http://127.0.0.1:1', SEARCHGATE_API_KEY: 'sg_1' };
  expect(await run([], environment)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('ends when its output is closed', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const environment = { SEARCHGATE_URL: 'http://127.0.0.1:1', SEARCHGATE_API_KEY: 'sg_1' };
  const ended = runProgram([], environment, { stdin, stdout, stderr });
  stdout.destroy(new Error('EPIPE'));
  expect(await ended).toBe(0);
});
