import { describe, expect, it } from 'vitest';
import { KEY, OUTCOME, scripted, start } from '../../test/scripted-gateway.js';
import { isRequestError } from '../base/errors/request-error.js';

const QUESTION = { apiKey: KEY, model: 'exa/answer', query: 'When did it open?' };

describe('a call in process', () => {
  it.each([
    ['signal', 'now', 'must be an AbortSignal'],
    ['signal', null, 'must be an AbortSignal'],
    ['cache', 'on', 'must be "refresh" or "off"'],
    ['cache', null, 'must be "refresh" or "off"'],
  ])('names a wrong option: %s %j', async (path, value, message) => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway } = start([exa.provider]);
    const error = await gateway.answer({ ...QUESTION, [path]: value }).catch((thrown: unknown) => thrown);
    expect(isRequestError(error) && [error.reason, error.param, error.details]).toEqual([
      'invalid_field',
      path,
      { issues: [{ path, message }] },
    ]);
    expect(exa.calls).toEqual([]);
  });

  it.each([undefined, 'refresh', 'off'] as const)('accepts every mode, even without a cache: %s', async (cache) => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    expect(await gateway.answer({ ...QUESTION, cache })).toMatchObject({ answer: OUTCOME.text });
  });
});
