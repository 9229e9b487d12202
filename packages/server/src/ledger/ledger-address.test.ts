import { ConfigurationError } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { type DurableAddress, dataFolderOf, describeAddress, parseLedgerAddress } from './ledger-address.js';

describe('parseLedgerAddress', () => {
  it('takes a SQLite file in the data folder by default', () => {
    expect(parseLedgerAddress()).toEqual({ engine: 'sqlite', file: 'data/searchgate.db' });
  });

  it.each([
    ['memory', { engine: 'memory' }],
    ['sqlite:/var/lib/money.db', { engine: 'sqlite', file: '/var/lib/money.db' }],
    ['sqlite:C:\\money.db', { engine: 'sqlite', file: 'C:\\money.db' }],
    ['postgres://u:p@db/money', { engine: 'postgres', url: 'postgres://u:p@db/money' }],
    ['postgresql:///money', { engine: 'postgres', url: 'postgresql:///money' }],
    ['redis://127.0.0.1:6379/2', { engine: 'redis', url: 'redis://127.0.0.1:6379/2' }],
    ['rediss://u:p@cache', { engine: 'redis', url: 'rediss://u:p@cache' }],
  ])('reads %s', (text, address) => {
    expect(parseLedgerAddress(text)).toEqual(address);
  });

  it.each([
    ['Memory', 'found a value of unknown form, expected memory, sqlite:<file>, postgres://… or redis://….'],
    ['mysql://root:hunter2@db/money', 'found mysql:…, expected memory, sqlite:'],
    ['postgres:hunter2@db', 'found a postgres: address that cannot be read, expected postgres://user:password@host/….'],
    ['postgres://u:hunter2@db:port', 'found a postgres: address that cannot be read'],
    ['postgres://u:12/hunter2@db/money', 'found a postgres: address that cannot be read'],
    ['constructor:hunter2', 'found constructor:…, expected memory'],
    ['sqlite:', 'found sqlite:, expected sqlite: and a path'],
    ['sqlite:///money.db', 'found sqlite:///money.db, expected sqlite: and a path, such as sqlite:data/searchgate.db.'],
    ['sqlite::memory:', 'found sqlite::memory:, expected sqlite: and a path'],
  ])('refuses %s, and shows no password', (text, message) => {
    const parse = () => parseLedgerAddress(text);
    expect(parse).toThrow(ConfigurationError);
    expect(parse).toThrow(`SEARCHGATE_LEDGER: ${message}`);
    expect(parse).not.toThrow('hunter2');
  });
});

describe('describeAddress', () => {
  it.each([
    ['memory', 'memory'],
    ['sqlite:data/x.db', 'data/x.db'],
    ['postgres://user:hunter2@db:5433/money?sslpassword=hunter2', 'postgres://db:5433/money'],
    ['rediss://:hunter2@cache:6380/1', 'rediss://cache:6380/1'],
  ])('prints %s without secrets', (text, printed) => {
    expect(describeAddress(parseLedgerAddress(text))).toBe(printed);
  });
});

describe('dataFolderOf', () => {
  it.each([
    ['sqlite:/var/lib/money.db', '/var/lib'],
    ['sqlite:money.db', '.'],
    ['redis://cache', 'data'],
  ])('returns the folder of %s', (text, folder) => {
    expect(dataFolderOf(parseLedgerAddress(text) as DurableAddress)).toBe(folder);
  });
});
