import { expect, it } from 'vitest';
import { deliverWebhooks, type WebhookOptions } from './index.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const GOOD = { url: 'https://hooks.example.org/a?b=c', secret: SECRET, events: ['credits_low'] };
const gateway = { on: () => () => undefined };

function problemOf(options: unknown): string {
  try {
    void deliverWebhooks(gateway, options as WebhookOptions);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

it.each([
  'https://hooks.example.org/a',
  'https://10.0.0.1/a',
  'http://localhost:3000/a',
  'http://127.0.0.1/a',
  'http://127.1.2.3:80/a',
  'http://[::1]:3000/a',
])('takes the URL %s', (url) => {
  expect(problemOf({ endpoints: [{ ...GOOD, url }] })).toBe('none');
});

it.each([
  'http://hooks.example.org/a',
  'http://10.0.0.1/a',
  'http://localhost.example.org/a',
  'http://127.0.0.1.example.org/a',
  'https://user@hooks.example.org/a',
  'https://:password@hooks.example.org/a',
  'ftp://localhost/a',
  '/a',
  '',
])('refuses the URL %s', (url) => {
  expect(problemOf({ endpoints: [{ ...GOOD, url }] })).toMatch(/deliverWebhooks\.endpoints\[0\]\.url.*https URL/s);
});

it.each([
  ['no prefix', SECRET.slice(6)],
  ['too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
  ['too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
  ['no base64', `${SECRET}!`],
])('refuses a secret with %s, and does not print it', (_what, secret) => {
  const problem = problemOf({ endpoints: [{ ...GOOD, secret }] });
  expect(problem).toContain('deliverWebhooks.endpoints[0].secret');
  expect(problem).not.toContain(secret);
});

it('never prints the password in a URL', () => {
  expect(problemOf({ endpoints: [{ ...GOOD, url: 'https://me:hunter2@hooks.example.org/a' }] })).not.toContain(
    'hunter2',
  );
});

it.each([
  ['no endpoints', { endpoints: [] }],
  ['too many endpoints', { endpoints: Array.from({ length: 21 }, () => GOOD) }],
  ['an endpoint without events', { endpoints: [{ ...GOOD, events: [] }] }],
  ['an event of every request', { endpoints: [{ ...GOOD, events: ['request_finished'] }] }],
  ['an unknown event', { endpoints: [{ ...GOOD, events: ['credits_lo'] }] }],
  ['no time at all', { endpoints: [GOOD], timeoutMs: 0 }],
  ['a logger without methods', { endpoints: [GOOD], logger: {} }],
  ['a clock without methods', { endpoints: [GOOD], clock: {} }],
  ['an unknown option', { endpoints: [GOOD], retries: 3 }],
])('refuses %s', (_what, options) => {
  expect(problemOf(options)).toContain('deliverWebhooks');
});
