import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, MODEL, QUESTION, SECRET, startServer, TEXT, type TestServer, URLS } from './test-server.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const note = hasPython ? '' : ' (skipped: there is no python3 on this machine)';

/** The Python code on a page of the documentation. */
function pythonIn(page: string): string[] {
  const markdown = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  return [...markdown.matchAll(/^```python\n([^]*?)^```/gm)].map(([, code = '']) => code);
}

/** A retry waits for two seconds. */
const TIMEOUT_MS = 30_000;
const RECIPES = pythonIn('recipes/clients.md');

describe.skipIf(!hasPython)(`the Python of the documents${note}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** Runs the recipes' code, then `code`. @returns the output, parsed as JSON. */
  async function run(code: string): Promise<unknown> {
    const baseUrl = server.baseURL.replace(/\/api\/v1$/, '');
    const names = { base_url: baseUrl, api_key: SECRET, model: MODEL };
    const setup = Object.entries(names).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const program = [...RECIPES, ...setup, code].join('\n');
    const { stdout } = await promisify(execFile)('python3', ['-c', program], { timeout: TIMEOUT_MS });
    return JSON.parse(stdout);
  }

  it('gets an answer with its sources', async () => {
    const answer = await run(`print(json.dumps(ask(${JSON.stringify(QUESTION)}, base_url, api_key, model)))`);
    expect(answer).toMatchObject({ answer: TEXT, citations: URLS.map((url) => ({ url })), usage: { cost: 0.01 } });
  });

  it('retries a retryable error under one key', async () => {
    const before = server.asked().length;
    const answer = await run(`print(json.dumps(ask(${JSON.stringify(FAULTS.once)}, base_url, api_key, model)))`);
    expect(answer).toMatchObject({ answer: TEXT });
    expect(server.asked().slice(before)).toEqual([FAULTS.once, FAULTS.once]);
  });

  it('raises the reason of an error', async () => {
    const code = `
try:
    ask("When?", base_url, "sg_a-wrong-key-of-twenty-characters", model)
except RuntimeError as error:
    print(json.dumps(str(error)))`;
    expect(await run(code)).toMatch(/^invalid_api_key: /);
  });

  it('reads a stream', async () => {
    const code = `print(json.dumps(list(ask_stream(${JSON.stringify(QUESTION)}, base_url, api_key, model))))`;
    const events = (await run(code)) as [string, { text?: string; answer?: string }][];
    expect(events[0]?.[0]).toBe('start');
    expect(events.flatMap(([name, { text }]) => (name === 'delta' ? [text] : [])).join('')).toBe(TEXT);
    expect(events.at(-1)).toMatchObject(['done', { answer: TEXT }]);
  });

  it('for the OpenAI client has valid syntax', () => {
    const [code = '', ...others] = pythonIn('clients/openai.md');
    expect(others).toEqual([]);
    const read = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: code,
      timeout: TIMEOUT_MS,
    });
    expect(String(read.stderr)).toBe('');
  });
});
