import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const REPOSITORY = 'https://github.com/searchgate/searchgate/blob/main';
const docs = join(import.meta.dirname, '..');

/** The title of a page: its first heading. */
const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(docs, path), 'utf8'))?.[1].replaceAll('`', '') ?? path;

/** The pages of a folder of the documents, in the order of their titles. */
function pagesOf(folder) {
  const files = readdirSync(join(docs, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return files
    .map((name) => posix.join(folder, name))
    .map((path) => ({ text: titleOf(path), link: `/${path.replace(/\.md$/, '')}` }))
    .sort((a, b) => a.text.localeCompare(b.text));
}

const section = (text, folder) => ({ text, collapsed: true, items: pagesOf(folder) });

/** What is in the repository and not on the site is shown there: the code, and the decisions, which are for contributors. */
function linkOutside(md) {
  md.core.ruler.push('outside', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const href = token.attrGet('href');
        if (token.type !== 'link_open' || href === null || /^(?:[a-z]+:|#)/.test(href)) continue;
        const target = posix.join(
          'docs',
          posix.dirname(env.relativePath === 'index.md' ? 'README.md' : env.relativePath),
          href,
        );
        if (!/^docs\/(?!decisions\/).+\.md(?:#|$)/.test(target)) token.attrSet('href', `${REPOSITORY}/${target}`);
      }
    }
  });
}

export default {
  title: 'Searchgate',
  description: 'Web-search answers from many providers in one shape, every cent metered',
  srcExclude: ['decisions/**'],
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  markdown: { config: linkOutside },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Documentation', items: [{ text: 'I want to …', link: '/' }, ...pagesOf('.')] },
      section('Hosts', 'hosts'),
      section('Clients', 'clients'),
      section('Recipes', 'recipes'),
      section('Providers', 'providers'),
    ],
  },
};
