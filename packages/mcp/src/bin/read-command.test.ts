import { describe, expect, it } from 'vitest';
import { readCommand } from './read-command.js';

const KEY = { SEARCHGATE_API_KEY: 'sg_secret' };

describe('readCommand', () => {
  it.each([
    [[], { SEARCHGATE_URL: 'https://api.example.com/search/' }, 'https://api.example.com/search'],
    [[], { SEARCHGATE_URL: 'http://127.0.0.1:3000' }, 'http://127.0.0.1:3000'],
    [['--url', 'https://other.example'], { SEARCHGATE_URL: 'https://api.example.com' }, 'https://other.example'],
    [['--url=https://other.example/'], {}, 'https://other.example'],
  ])('takes the address of %j and %j', (argv, environment, url) => {
    expect(readCommand(argv, { ...KEY, ...environment })).toEqual({
      kind: 'serve',
      url,
      apiKey: 'sg_secret',
      models: { defaultModel: undefined, search: undefined, fetch: undefined },
    });
  });

  it('reads the models of the tools', () => {
    const environment = { ...KEY, SEARCHGATE_URL: 'https://api.example.com' };
    const variables = {
      SEARCHGATE_MODEL: 'exa/answer',
      SEARCHGATE_SEARCH: 'exa/auto',
      SEARCHGATE_FETCH: 'exa/contents',
    };
    expect(readCommand([], { ...environment, ...variables })).toMatchObject({
      models: { defaultModel: 'exa/answer', search: 'exa/auto', fetch: 'exa/contents' },
    });
    expect(readCommand([], { ...environment, SEARCHGATE_MODEL: '' })).toMatchObject({
      models: { defaultModel: undefined },
    });
  });

  it.each([
    [['--help'], 'Usage: searchgate-mcp'],
    [['--version'], /^\d+\.\d+\.\d+/],
  ])('prints the text for %j without any settings', (argv, text) => {
    expect(readCommand(argv, {})).toEqual({ kind: 'print', text: expect.stringMatching(text) });
  });

  it.each([
    [[], {}, 'SEARCHGATE_URL is missing'],
    [[], { SEARCHGATE_URL: '' }, 'SEARCHGATE_URL is missing'],
    [['--port', '1'], KEY, "Unknown option '--port'"],
    [['https://api.example.com'], KEY, 'Unexpected argument'],
    [['--url', 'api.example.com'], KEY, 'SEARCHGATE_URL is no address'],
    [['--url', 'ftp://api.example.com'], KEY, 'SEARCHGATE_URL is no address'],
    [['--url', 'https://user:pass@api.example.com'], KEY, 'SEARCHGATE_URL is no address'],
    [['--url', 'https://api.example.com/?a'], KEY, 'SEARCHGATE_URL is no address'],
    [['--url', 'https://api.example.com'], {}, 'SEARCHGATE_API_KEY is missing'],
    [['--url', 'https://api.example.com'], { SEARCHGATE_API_KEY: 'two words' }, 'SEARCHGATE_API_KEY is not an API key'],
  ])('refuses %j with %j', (argv, environment, problem) => {
    const command = readCommand(argv, environment);
    expect(command).toEqual({ kind: 'refuse', text: expect.stringContaining(problem) });
    expect(JSON.stringify(command)).not.toMatch(/user:pass|two words/);
  });
});
