import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { parseOptions } from '../base/options/parse-options.js';
import { modelOverridesSchema } from './model-overrides.js';

const parse = (overrides: unknown) => parseOptions(modelOverridesSchema, overrides, 'models');

function problemOf(override: unknown) {
  try {
    parse({ 'exa/answer': override });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems[0];
    throw error;
  }
  return undefined;
}

describe('modelOverridesSchema', () => {
  it('accepts every documented field', () => {
    const overrides = {
      'exa/answer': {
        hidden: false,
        name: 'Exa',
        description: 'Asks Exa.',
        features: ['citations'],
        contextLength: 9,
        timeoutMs: 5_000,
        verifiedAt: '2026-11-29',
        price: '0.02',
      },
      'perplexity/sonar': {
        price: { typical: '0.01', ceiling: '0.05', perMillionInputTokens: '0.25', perSearch: '0.0025' },
      },
      'own/index': {
        category: 'search',
        provider: 'intranet',
        name: 'Intranet',
        description: 'Our pages.',
        pricing: { request: '-1', perMillionTokens: '0.05' },
        searchTypes: ['keyword'],
        maxResults: 10,
        maxInputTokens: 100,
      },
      'own/vectors': { category: 'embedding', dimensions: 768 },
    };
    expect(parse(overrides)).toEqual(overrides);
  });

  it('names the nearest field for a misspelled field', () => {
    expect(problemOf({ timeout: 5_000 })).toMatchObject({ path: 'models["exa/answer"].timeout', nearest: 'timeoutMs' });
    expect(problemOf({ price: { typical: '0.01', ceiling: '0.05', perMilionInputTokens: '1' } })).toMatchObject({
      path: 'models["exa/answer"].price.perMilionInputTokens',
      nearest: 'perMillionInputTokens',
    });
  });

  it.each([
    [{ price: 0.02 }, 'price', 'a decimal string of US dollars such as "0.005", or an object'],
    [{ price: { typical: '0.01' } }, 'price.ceiling', 'a decimal string of US dollars such as "0.005"'],
    [{ category: 'chat' }, 'category', 'one of search, embedding, rerank, extract, answer'],
    [{ verifiedAt: '2026-02-30' }, 'verifiedAt', 'an ISO date such as "2026-11-29"'],
    [{ timeoutMs: 3_600_001 }, 'timeoutMs', 'at most 3600000'],
    [{ timeoutMs: 0 }, 'timeoutMs', 'a whole number of at least 1'],
    [{ contextLength: 1.5 }, 'contextLength', 'a whole number'],
    [{ name: ' ' }, 'name', 'a text that is not empty'],
  ])('refuses %j and says what is wanted', (override, field, expected) => {
    const problem = problemOf(override);
    expect(problem?.path).toBe(`models["exa/answer"].${field}`);
    expect(problem?.expected).toContain(expected);
  });
});
