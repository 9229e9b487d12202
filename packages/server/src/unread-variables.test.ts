import { expect, it } from 'vitest';
import { checkService } from './check-service.js';
import { readEnvironment } from './environment.js';
import { unreadVariables } from './unread-variables.js';

it.each([
  ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  ['EXA_KEY', 'EXA_API_KEY'],
  ['TAVILY_APIKEY', 'TAVILY_API_KEY'],
  ['OPENAI_TOKEN', 'OPENAI_API_KEY'],
  ['PERPLEXITYAI_API_KEY', 'PERPLEXITY_API_KEY'],
  ['DATABASE_URL', 'SEARCHGATE_LEDGER'],
])('%s is named with %s where that is missing, without its value', async (name, wanted) => {
  const set = { [name]: 'postgres://hunter2' };
  const hint = `${name} is not read. Did you mean ${wanted}?`;
  expect(unreadVariables(set, {})).toEqual([hint]);
  expect(await checkService(set)).toMatch(new RegExp(`^Nothing is wrong\\..*\n${hint.replace('?', '\\?')}$`));
  expect(unreadVariables({ ...set, [wanted]: 'a-key' }, {})).toEqual([]);
});

it('a check names the keys of providers that have several, and keeps silent of variables for one key', async () => {
  const lines = (await checkService({ EXA_API_KEYS: 'hunter-1,hunter-2', EXA_KEY: 'hunter-3' })).split('\n');
  expect(lines.slice(1)).toEqual(['Keys of exa: key-1 (serving), key-2 (serving).']);
});

it('a check of both variables of keys ends, with one mistake', async () => {
  await expect(checkService({ EXA_API_KEY: 'hunter-1', EXA_API_KEYS: 'hunter-2,hunter-3' })).rejects.toThrow(
    /^EXA_API_KEYS: found a value beside apiKey, expected one of them\.\nSee /,
  );
});

it('keeps silent of variables of other programs, of empty ones, and of providers with a key in the file', () => {
  expect(unreadVariables({ HOME: '/', AWS_SECRET_KEY: 'a', EXA_KEY: '' }, {})).toEqual([]);
  expect(unreadVariables({ GEMINI_API_KEY: 'a' }, { providers: { google: { apiKey: 'a' } } })).toEqual([]);
});

it.each(['"sqlite:a.db"', "'sqlite:a.db'", 'sqlite:a.db '])(
  'a value in quotes or spaces is refused, not shown: %s',
  async (value) => {
    const found = 'found a value in quotes or spaces (not shown), expected the value alone';
    expect(() => readEnvironment({ SEARCHGATE_LEDGER: value })).toThrow(`SEARCHGATE_LEDGER: ${found}`);
    await expect(checkService({ EXA_API_KEY: value })).rejects.toThrow(
      /^EXA_API_KEY: found a string \(not shown\), .*quotes/,
    );
  },
);
