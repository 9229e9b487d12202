import { describe, expect, it } from 'vitest';
import { stripMountPath } from './mount-path.js';

describe('stripMountPath', () => {
  it('takes the prefix off paths below it and knows which are not', () => {
    const strip = stripMountPath('/apps/search');
    expect(strip('/apps/search/api/v1/key')).toBe('/api/v1/key');
    expect(strip('/api/v1/key')).toBeUndefined();
    expect(strip('/apps/searching/api/v1/key')).not.toBe('/api/v1/key');
  });

  it('leaves paths alone without a prefix', () => {
    expect(stripMountPath()('/api/v1/key')).toBe('/api/v1/key');
    expect(stripMountPath('')('/api/v1/key')).toBe('/api/v1/key');
  });

  it.each(['/', 'search', '/search/', '//search', '/a b', '/search?x=1', '/:id', '/search/*', 7, null])(
    'refuses %j',
    (prefix) => {
      expect(() => stripMountPath(prefix as string)).toThrow(/^prefix: found .*, expected a path such as "\/search"/);
    },
  );
});
