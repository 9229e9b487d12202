import { describe, expect, it } from 'vitest';
import { mcp } from './mcp.js';

describe('mcp', () => {
  it('is an extension with its own path', () => {
    expect(mcp()).toMatchObject({ name: 'mcp', path: '/api/v1/mcp' });
  });

  it.each([
    [{ model: 'exa/answer' }, 'mcp.model: found an unknown option, expected one of defaultModel.'],
    [{ defaultModel: 1 }, 'mcp.defaultModel: found 1, expected a string such as "exa/answer".'],
    [{ defaultModel: '' }, 'mcp.defaultModel: found ""'],
  ])('refuses %j', (options, message) => {
    expect(() => mcp(options as object)).toThrow(message);
  });
});
