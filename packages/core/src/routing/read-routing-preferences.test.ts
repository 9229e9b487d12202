import { describe, expect, it } from 'vitest';
import { createRoutingReader } from './read-routing-preferences.js';

const read = createRoutingReader((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const inProcess = createRoutingReader((name) => name);

describe('routing preferences', () => {
  it.each([undefined, null, {}])('are absent for %j', (given) => {
    expect(read(given)).toEqual({ value: undefined, issues: [] });
  });

  it('are normalized in order and spelling', () => {
    const given = { max_cost: '00.0100', sort: 'price', fallbacks: ['exa/answer', 'fast'] };
    const asked = '{"fallbacks":["exa/answer","fast"],"sort":"price","maxCost":"0.01"}';
    expect(JSON.stringify(read(given).value)).toBe(asked);
    expect(inProcess({ maxCost: '0.01', sort: undefined }).value).toEqual({ maxCost: '0.01' });
  });

  it.each([[[]], [['a', 'b', 'c', 'd']]])('ask for no other fallbacks than %j', (fallbacks) => {
    expect(read({ fallbacks }).value).toEqual({ fallbacks });
  });

  it('do not change with the caller’s own list', () => {
    const fallbacks = ['exa/answer'];
    const { value } = inProcess({ fallbacks });
    fallbacks.push('exa/other');
    expect(value).toEqual({ fallbacks: ['exa/answer'] });
  });

  it.each(['0', '0.000000001', '12', '999999999999'])('accept the amount %s', (amount) => {
    expect(read({ max_cost: amount }).issues).toEqual([]);
  });

  it.each([
    [{ sort: 'fast' }, 'routing.sort'],
    [{ sort: 'listed' }, 'routing.sort'],
    [{ sort: null }, 'routing.sort'],
    [{ max_cost: 0.01 }, 'routing.max_cost'],
    [{ max_cost: '' }, 'routing.max_cost'],
    [{ max_cost: '-1' }, 'routing.max_cost'],
    [{ max_cost: '1e-3' }, 'routing.max_cost'],
    [{ max_cost: '$1' }, 'routing.max_cost'],
    [{ max_cost: '0.0000000001' }, 'routing.max_cost'],
    [{ max_cost: '0'.repeat(100) }, 'routing.max_cost'],
    [{ maxCost: '1' }, 'routing.maxCost'],
    [{ fallbacks: 'exa/answer' }, 'routing.fallbacks'],
    [{ fallbacks: null }, 'routing.fallbacks'],
    [{ fallbacks: ['a', 'b', 'c', 'd', 'e'] }, 'routing.fallbacks'],
    [{ fallbacks: [''] }, 'routing.fallbacks'],
    [{ fallbacks: [7] }, 'routing.fallbacks'],
    [{ fallbacks: ['x'.repeat(257)] }, 'routing.fallbacks'],
    [{ order: ['exa'] }, 'routing.order'],
    ['price', 'routing'],
    [[], 'routing'],
    [false, 'routing'],
  ])('refuse %j', (given, path) => {
    expect(read(given)).toMatchObject({ value: undefined, issues: [{ path }] });
  });
});
