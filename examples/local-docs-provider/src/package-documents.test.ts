import { describe, expect, it } from 'vitest';
import { DOCUMENTED_PACKAGES, packageDocuments } from './package-documents.js';

describe('packageDocuments', () => {
  const documents = packageDocuments();

  it.each(DOCUMENTED_PACKAGES)(
    'finds the README of $name, though some packages hide their package.json',
    ({ name }) => {
      const readmes = documents.filter(({ source, url }) => source === name && /readme\.md$/i.test(url));
      expect(readmes).toHaveLength(1);
      expect(readmes[0]?.markdown.length).toBeGreaterThan(1_000);
    },
  );

  it('finds the docs folders that ship inside undici and pino', () => {
    const urls = documents.map(({ url }) => url);
    expect(urls).toContainEqual(
      expect.stringMatching(/^https:\/\/github\.com\/nodejs\/undici\/blob\/v7\.\d+\.\d+\/docs\/docs\/api\/Client\.md$/),
    );
    expect(urls).toContainEqual(
      expect.stringMatching(/^https:\/\/github\.com\/pinojs\/pino\/blob\/v10\.\d+\.\d+\/docs\/api\.md$/),
    );
  });

  it('cites the page of the installed version, also where the package lives in a folder of its repository', () => {
    const zod = documents.find(({ source }) => source === 'zod');
    expect(zod?.url).toMatch(/^https:\/\/github\.com\/colinhacks\/zod\/blob\/v4\.\d+\.\d+\/packages\/zod\/README\.md$/);
  });

  it('refuses a package that is not installed, by its name', () => {
    const packages = [{ name: 'not-installed-anywhere' }];
    expect(() => packageDocuments({ packages })).toThrow(
      '"not-installed-anywhere" cannot be indexed: the package is not installed',
    );
  });
});
