import { beforeAll, describe, expect, it } from 'vitest';
import * as allProviders from '../src/providers/index.js';
import type { Measured } from './scaling/measure.js';
import { FORMS } from './scaling/shapes.js';
import { MEASURING_MS, measure } from './scaling/start-measuring.js';

const answering = Object.entries(allProviders).filter(([, create]) => create({ apiKey: 'a-key' }).answer !== undefined);

let ofProviders: Measured;
beforeAll(async () => {
  ofProviders = await measure('providers');
}, MEASURING_MS);

describe('the time to read a hostile reply is linear', () => {
  it.each(answering)('of %s', (provider) => {
    expect(ofProviders[provider]?.problems).toEqual([]);
    expect(ofProviders[provider]?.readings).toBeGreaterThan(FORMS.length);
  });
});
