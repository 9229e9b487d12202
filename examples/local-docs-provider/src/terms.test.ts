import { describe, expect, it } from 'vitest';
import { joinedTerms, partTermsOf, stem, termsOf, wordsOf } from './terms.js';

describe('stem', () => {
  it.each([
    ['validate', 'validates', 'validated', 'validating', 'validation'],
    ['map', 'maps', 'mapped', 'mapping'],
    ['cache', 'caches', 'cached', 'caching'],
    ['query', 'queries'],
    ['connect', 'connection', 'connections', 'connecting'],
    ['fail', 'fails', 'failed', 'failing', 'failure'],
    ['max', 'maximum'],
    ['async', 'asynchronous', 'asynchronously'],
    ['h2', 'http2'],
  ])('gives %s and its forms one term', (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    ['class', 'clause'],
    ['port', 'part'],
    ['bus', 'bu'],
    ['ring', 'red'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });

  it('leaves numbers, names with digits and other scripts alone', () => {
    expect(['404', 'utf8s', 'münzen'].map(stem)).toEqual(['404', 'utf8s', 'münzen']);
  });
});

describe('termsOf', () => {
  it('takes compound names apart and keeps them whole', () => {
    expect(termsOf('bodyTimeout')).toEqual(['body', 'timeout', 'bodytimeout']);
    expect(termsOf('keep-alive')).toEqual(['keep', 'aliv', 'keepaliv']);
    expect(termsOf('HTTPParser z.infer')).toEqual(['http', 'parser', 'httpparser', 'z', 'infer', 'zinfer']);
  });

  it('meets a name that was spelled with a dash, a dot, capitals or blanks', () => {
    const spellings = ['keepAliveTimeout', 'keep-alive-timeout', 'KEEP_ALIVE_TIMEOUT', 'keep.alive.timeout'];
    const wholes = spellings.map((spelling) => termsOf(spelling).at(-1));
    expect(new Set([...wholes, joinedTerms(['keep', 'alive', 'timeout']).at(1)]).size).toBe(1);
  });

  it('meets HTTP/2 and H2', () => {
    expect(termsOf('allowH2')).toContain('h2');
    expect(termsOf('HTTP/2')).toContain('h2');
  });

  it('leaves the whole name out when only the parts are wanted', () => {
    expect(partTermsOf('bodyTimeout')).toEqual(['body', 'timeout']);
  });
});

describe('joinedTerms', () => {
  it('runs two and three neighbors together', () => {
    expect(joinedTerms(wordsOf('max response size'))).toEqual(
      ['maxresponse', 'maxresponsesize', 'responsesize'].map(stem),
    );
  });

  it('gives nothing for a single word', () => {
    expect(joinedTerms(['timeout'])).toEqual([]);
  });
});
