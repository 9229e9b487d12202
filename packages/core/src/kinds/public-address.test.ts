import { expect, it } from 'vitest';
import { publicAddress } from './public-address.js';

const INTERNET = { problem: 'must be an address of the public internet' };

it.each(
  `
  http://localhost/ http://localhost../ http://localhost.localdomain/ http://kubernetes.default.svc/
  http://a.corp/ http://LOCALHOST./ http://a.localhost/ http://printer.local/
  http://metadata.google.internal/computeMetadata/v1/ http://intranet/ http://127.0.0.1/ http://127.1/
  http://0x7f000001/ http://2130706433/ http://0177.0.0.1/ http://10.1.2.3/ http://172.31.0.1/ http://192.168.1.1/
  http://169.254.169.254/latest/meta-data/ http://100.64.0.1/ http://224.0.0.1/ http://[::1]/ http://[::]/
  http://[::ffff:127.0.0.1]/ http://[::ffff:8.8.8.8]/ http://[64:ff9b::7f00:1]/ http://[fc00::1]/
  http://[fe80::1]/ http://[ff02::1]/ http://[2002:7f00:1::]/ http://[2001:db8::1]/`
    .trim()
    .split(/\s+/),
)('refuses %s', (url) => {
  expect(publicAddress(url)).toEqual(INTERNET);
});

it.each([
  ['https://example.org', 'https://example.org/'],
  ['HTTP://Example.ORG:8080/a?b#c', 'http://example.org:8080/a?b#c'],
  ['http://8.8.8.8/', 'http://8.8.8.8/'],
  ['http://172.32.0.1/', 'http://172.32.0.1/'],
  ['http://[2606:4700::1111]/', 'http://[2606:4700::1111]/'],
  ['https://localhost.example.org/', 'https://localhost.example.org/'],
  ['https://bücher.example.org/', 'https://xn--bcher-kva.example.org/'],
])('takes %s', (given, url) => {
  expect(publicAddress(given)).toEqual({ url });
});

it.each([
  ['ftp://example.org/', 'must be an http(s) address such as "https://example.org/page"'],
  ['example.org', 'must be an http(s) address such as "https://example.org/page"'],
  ['https://', 'must be an http(s) address such as "https://example.org/page"'],
  [7, 'must be an http(s) address such as "https://example.org/page"'],
  [`https://example.org/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
  [`https://example.org/${'ü'.repeat(1_000)}`, 'must have at most 2048 characters'],
  ['https://ada@example.org/', 'must have no user name and no password'],
  ['https://:secret@example.org/', 'must have no user name and no password'],
])('says of %j that it %s', (given, problem) => {
  expect(publicAddress(given)).toEqual({ problem });
});
