import { describe, expect, it } from 'vitest';
import { mcp } from './mcp.js';

describe('mcp', () => {
  it('is an extension with its own path', () => {
    expect(mcp()).toMatchObject({ name: 'mcp', path: '/api/v1/mcp' });
  });

  it.each([
    [
      { model: 'exa/answer' },
      'mcp.model: found an unknown option, expected one of defaultModel, search, fetch, origins.',
    ],
    [{ defaultModel: 1 }, 'mcp.defaultModel: found 1, expected a string such as "exa/answer".'],
    [{ defaultModel: '' }, 'mcp.defaultModel: found ""'],
    [{ search: 1 }, 'mcp.search: found 1, expected a string such as "exa/auto".'],
    [{ fetch: true }, 'mcp.fetch: found true, expected a string such as "exa/contents".'],
    [{ origins: 'https://a.example' }, 'mcp.origins: found "https://a.example", expected an array.'],
    [{ origins: ['a.example'] }, 'mcp.origins[0]: found "a.example", expected an origin such as'],
    [{ origins: ['https://a.example/'] }, 'mcp.origins[0]: found "https://a.example/"'],
  ])('refuses %j', (options, message) => {
    expect(() => mcp(options as object)).toThrow(message);
  });
});
