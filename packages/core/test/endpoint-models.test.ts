import { exa, firecrawl, searxng, tavily } from '@searchgate/dialects';
import { describe, expect, it } from 'vitest';
import { everyPort } from '../../testing/test/every-port.js';
import type { GatewayOptions } from '../src/index.js';
import { OUTCOME, scripted, start } from './scripted-gateway.js';

const [plain] = everyPort.search?.models ?? [];
/** `stub/web` finds pages, `stub/full` also returns their text. */
const provider = {
  ...everyPort,
  search: { ...everyPort.search!, models: [plain!, { ...plain!, slug: 'stub/full', features: ['content'] }] },
};
const NAMES = {
  aliases: { plain: 'stub/web', full: 'stub/full' },
  groups: { both: { models: ['stub/full', 'stub/web'] }, fulls: { models: ['stub/full'] } },
};

async function build(endpoints: GatewayOptions['endpoints']): Promise<void> {
  const { gateway } = start([provider, scripted('exa', [OUTCOME]).provider], { ...NAMES, endpoints });
  await gateway.close();
}

const WITH_TEXT =
  'a callable model of category search with the feature content, an alias or a group of such models (stub/full).';
const SEARCHES = 'a callable model of category search, an alias or a group of such models (stub/full, stub/web).';

const PAGES = 'a callable model of category extract';
const ANSWERS = 'a callable model of category answer';

describe('the models of endpoints', () => {
  it.each<[string, GatewayOptions['endpoints']]>([
    // exa-js asks for the text of pages.
    [`exa.search: found "stub/web", expected ${WITH_TEXT}`, { exa: exa({ search: 'stub/web' }) }],
    [`exa.search: found "plain" with stub/web, expected ${WITH_TEXT}`, { exa: exa({ search: 'plain' }) }],
    [`exa.search: found "both" with stub/web, expected ${WITH_TEXT}`, { exa: exa({ search: 'both' }) }],
    [`exa.answer: found "stub/full", expected ${ANSWERS}`, { exa: exa({ answer: 'stub/full' }) }],
    [`tavily.search: found "exa/answer", expected ${SEARCHES}`, { tavily: tavily({ search: 'exa/answer' }) }],
    [
      `tavily.extract: found "both" with stub/full, stub/web, expected ${PAGES}`,
      { tavily: tavily({ extract: 'both' }) },
    ],
    [
      `tavily.answer: found "full" with stub/full, expected ${ANSWERS}`,
      { tavily: tavily({ search: 'full', answer: 'full' }) },
    ],
    [`firecrawl.extract: found "stub/web", expected ${PAGES}`, { firecrawl: firecrawl({ extract: 'stub/web' }) }],
    [
      `searxng.search: found "stub/fulll", expected ${SEARCHES} Did you mean`,
      { searxng: searxng({ search: 'stub/fulll' }) },
    ],
    [`searxng.search: found 5, expected ${SEARCHES}`, { searxng: searxng({ search: 5 as never }) }],
    [`search.defaultModel: found "stub/read", expected ${SEARCHES}`, { search: { defaultModel: 'stub/read' } }],
  ])('endpoints.%s', async (message, endpoints) => {
    await expect(build(endpoints)).rejects.toThrow(`endpoints.${message}`);
  });

  it('are all named in one error', async () => {
    const models = { search: 'exa/answer', extract: 'exa/answer', answer: 'stub/web' };
    const wrong = build({ exa: exa(models), firecrawl: firecrawl(models), rerank: { defaultModel: 'stub/web' } });
    const ofExa = ['exa.search', 'exa.extract', 'exa.answer'];
    const paths = ['rerank.defaultModel', ...ofExa, 'firecrawl.search', 'firecrawl.extract'];
    await expect(wrong).rejects.toMatchObject({ problems: paths.map((path) => ({ path: `endpoints.${path}` })) });
  });

  it('may be models, aliases and groups that fit, also where the path of their kind is off', async () => {
    for (const search of ['stub/full', 'full', 'fulls']) await build({ exa: exa({ search }), search: false });
    for (const search of ['stub/web', 'plain', 'both']) await build({ searxng: searxng({ search }), search: false });
  });
});
