import { describe, expect, test } from 'vitest';
import { isTransient, isUnknownScript } from './is-transient.js';

const PERMANENT = [
  'ERR Error running script: attempt to index a nil value',
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  "OOM command not allowed when used memory > 'maxmemory'.",
  'NOPERM this user has no permissions to run the evalsha command',
  'NOAUTH Authentication required.',
  'CROSSSLOT Keys in request do not hash to the same slot',
  'MISCONF Errors writing to the AOF file: No space left on device',
];
const TRANSIENT = [
  'READONLY You cannot write against a read only replica.',
  'LOADING Redis is loading the dataset in memory',
  'CLUSTERDOWN The cluster is down',
  'TRYAGAIN Multiple keys request during rehashing of slot',
  'ASK 11011 127.0.0.1:7001',
  'MOVED 11011 127.0.0.1:7001',
  'BUSY Redis is busy running a script.',
  'NOREPLICAS Not enough good replicas to write.',
  'Connection is closed.',
  'connect ECONNREFUSED 127.0.0.1:6390',
  'Reached the max retries per request limit (which is 20). Refer to "maxRetriesPerRequest" option for details.',
  'Socket closed unexpectedly',
  'The client is closed',
  '',
];

describe('isTransient', () => {
  for (const message of PERMANENT) {
    test(`gives up on "${message.slice(0, 40)}"`, () => {
      expect(isTransient(new Error(message))).toBe(false);
    });
  }
  for (const message of TRANSIENT) {
    test(`tries again on "${message.slice(0, 40)}"`, () => {
      expect(isTransient(new Error(message))).toBe(true);
    });
  }
  test('gives up on what is no error, and on what the client was given', () => {
    expect(isTransient('Connection is closed.')).toBe(false);
    expect(isTransient(new TypeError('Invalid argument type'))).toBe(false);
  });
});

describe('isUnknownScript', () => {
  test('knows the reply to the hash of a script that is not loaded', () => {
    expect(isUnknownScript(new Error('NOSCRIPT No matching script. Please use EVAL.'))).toBe(true);
    expect(isUnknownScript(new Error('ERR NOSCRIPT'))).toBe(false);
  });
});
