import { describe, expect, it } from 'vitest';
import { readSnapshot } from './latency-snapshot.js';

const ANSWER = { durationMs: 900, takenAtMs: 1_764_000_000_000 };
const many = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
const models = (count: number) => Object.fromEntries(many(count, []).map((none, index) => [`a/${index}`, none]));

describe('readSnapshot', () => {
  it.each([
    ['nothing learned', { models: {} }],
    ['two models', { models: { 'a/a': [ANSWER, ANSWER], 'b/b': [] } }],
    ['as much as is ever saved', { models: { 'a/a': many(128, ANSWER) } }],
    ['a thousand models', { models: models(1_000) }],
  ])('reads %s', (_what, snapshot) => {
    expect(readSnapshot(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', '{"models":{}}'],
    ['an array', []],
    ['an object without models', {}],
    ['models that are a list', { models: [] }],
    ['models that are null', { models: null }],
    ['a model without a list', { models: { 'a/a': ANSWER } }],
    ['an answer without a time', { models: { 'a/a': [{ durationMs: 900 }] } }],
    ['a duration below zero', { models: { 'a/a': [{ ...ANSWER, durationMs: -1 }] } }],
    ['a duration of more than a day', { models: { 'a/a': [{ ...ANSWER, durationMs: 86_400_001 }] } }],
    ['a duration that is no number', { models: { 'a/a': [{ ...ANSWER, durationMs: Number.NaN }] } }],
    ['a time without end', { models: { 'a/a': [{ ...ANSWER, takenAtMs: Number.POSITIVE_INFINITY }] } }],
    ['more answers than are ever saved', { models: { 'a/a': many(129, ANSWER) } }],
    ['a thousand and one models', { models: models(1_001) }],
    ['a name without end', { models: { [`a/${'a'.repeat(256)}`]: [] } }],
  ])('ignores %s', (_what, value) => {
    expect(readSnapshot(value)).toBeUndefined();
  });
});
