import { ConfigurationError } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { readEnvironment, readLedgerAddress, urlOf } from './environment.js';

describe('readEnvironment', () => {
  it('fills in the defaults, and treats an empty variable as absent', () => {
    const settings = {
      port: 3000,
      host: '127.0.0.1',
      drainDelayMs: null,
      trustProxy: null,
      logLevel: 'info',
      logFormat: 'pino',
      adminPasswordHash: null,
      adminOrganization: null,
      metricsPort: null,
      configFile: null,
      ledger: { engine: 'sqlite', file: 'data/searchgate.db' },
      tenantKeysSecrets: null,
      docs: null,
    };
    expect(readEnvironment({})).toEqual(settings);
    expect(readEnvironment({ PORT: '', EXA_API_KEY: '', SEARCHGATE_LEDGER: '' })).toEqual(settings);
    const ofOther: Record<string, string> = { constructor: 'of another program' };
    expect(readEnvironment(ofOther)).toEqual(settings);
  });

  it('reads a password hash, and never shows a value that may be the password', () => {
    const hash = `scrypt:${'a'.repeat(22)}:${'b'.repeat(43)}`;
    expect(readEnvironment({ ADMIN_PASSWORD_HASH: hash })).toMatchObject({ adminPasswordHash: hash });
    const wrong = () => readEnvironment({ ADMIN_PASSWORD_HASH: 'hunter2' });
    expect(wrong).toThrow('ADMIN_PASSWORD_HASH: found a malformed value (not shown), expected what');
    expect(wrong).not.toThrow('hunter2');
  });

  it('reads one or two secrets of vendor keys, and never shows what may be one', () => {
    const secretsOf = (text: string) => readEnvironment({ SEARCHGATE_TENANT_KEYS_SECRET: text }).tenantKeysSecrets;
    const [first, second] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
    expect(secretsOf(first)).toEqual([first]);
    expect(secretsOf(`${first},${second}`)).toEqual([first, second]);
    for (const wrong of [first.slice(1), `${first},`, `${first},${second},${first}`, first.slice(0, -1), 'hunter2']) {
      const message = 'SEARCHGATE_TENANT_KEYS_SECRET: found a string (not shown), expected 32 random bytes in base64';
      expect(() => secretsOf(wrong)).toThrow(message);
      expect(() => secretsOf(wrong)).not.toThrow(wrong.slice(0, 7));
    }
  });

  it('serves the documents of a folder itself unless they are public elsewhere', () => {
    const folder = { SEARCHGATE_DOCS_DIR: 'docs' };
    expect(readEnvironment(folder).docs).toEqual({
      folder: 'docs',
      baseUrl: 'http://127.0.0.1:3000/docs/',
      isServedHere: true,
    });
    expect(readEnvironment({ ...folder, HOST: '0.0.0.0', PORT: '80' }).docs?.baseUrl).toBe('http://localhost:80/docs/');
    expect(
      readEnvironment({ ...folder, PORT: '0', SEARCHGATE_DOCS_BASE_URL: 'https://example.org/docs' }).docs,
    ).toEqual({
      folder: 'docs',
      baseUrl: 'https://example.org/docs',
      isServedHere: false,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['PORT: found "3000x", expected a port from 0 to 65535.', { PORT: '3000x' }],
    ['PORT: found "70000", expected a port from 0 to 65535.', { PORT: '70000' }],
    ['Did you mean "SEARCHGATE_DOCS_DIR"?', { SEARCHGATE_DOC_DIR: 'docs' }],
    [
      'SEARCHGATE_DRAIN_DELAY_MS: found "5s", expected a number of milliseconds from 0 to 15000.',
      { SEARCHGATE_DRAIN_DELAY_MS: '5s' },
    ],
    [
      'SEARCHGATE_ADMIN_ORGANIZATION: found "acme corp", expected 1 to 128 printable ASCII characters without spaces, neither "." nor "..".',
      { SEARCHGATE_ADMIN_ORGANIZATION: 'acme corp' },
    ],
    ['from 0 to 15000', { SEARCHGATE_DRAIN_DELAY_MS: '15001' }],
    ['SEARCHGATE_LOG_LEVEL: found "loud", expected trace, debug', { SEARCHGATE_LOG_LEVEL: 'loud' }],
    [
      'SEARCHGATE_LEDGER: found mysql:…, expected memory, sqlite:<file>, postgres://… or redis://….',
      { SEARCHGATE_LEDGER: 'mysql://root:secret-1@db/money' },
    ],
    ['expected SEARCHGATE_DOCS_DIR to be set as well', { SEARCHGATE_DOCS_BASE_URL: 'https://example.org' }],
    ['SEARCHGATE_DOCS_BASE_URL: found nothing', { SEARCHGATE_DOCS_DIR: 'docs', PORT: '0' }],
    [
      'SEARCHGATE_DOCS_BASE_URL: found "example.org/***", expected an absolute http(s) URL.',
      { SEARCHGATE_DOCS_DIR: 'docs', SEARCHGATE_DOCS_BASE_URL: 'example.org/?key=secret-1' },
    ],
  ])('refuses variables: %s', (message, environment) => {
    const read = () => readEnvironment(environment);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('secret-1');
  });
});

describe('readLedgerAddress', () => {
  it('gives the ledger of the service', () => {
    expect(readLedgerAddress({ SEARCHGATE_LEDGER: 'redis://cache' })).toEqual({
      engine: 'redis',
      url: 'redis://cache',
    });
  });

  it('refuses a misspelt variable, which would lead to another ledger', () => {
    expect(() => readLedgerAddress({ SEARCHGATE_LEGDER: 'redis://cache' })).toThrow(
      'Did you mean "SEARCHGATE_LEDGER"?',
    );
  });
});

describe('urlOf', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['0.0.0.0', 'http://localhost:80'],
    ['::', 'http://localhost:80'],
    ['::1', 'http://[::1]:80'],
  ])('makes an address of %s that can be opened', (host, url) => {
    expect(urlOf(host, 80)).toBe(url);
  });
});
