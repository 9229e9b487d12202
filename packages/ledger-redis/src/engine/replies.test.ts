import { expect, it } from 'vitest';
import { isReply, replyOf } from './replies.js';

it('reads texts, and buffers as texts', () => {
  expect(replyOf([])).toEqual([]);
  expect(replyOf(['a', Buffer.from('é'), 7])).toEqual(['a', 'é', '7']);
});

it.each(['OK', null, undefined, 7, { 0: 'a', length: 1 }])('refuses %j', (reply) => {
  expect(() => replyOf(reply)).toThrow(TypeError);
  expect(() => replyOf(reply)).toThrow('expected an array from a script');
});

it('tells the reply of one operation from a list of those', () => {
  expect(isReply(['did'])).toBe(true);
  expect(isReply([])).toBe(true);
  expect(isReply([['did']])).toBe(false);
});
