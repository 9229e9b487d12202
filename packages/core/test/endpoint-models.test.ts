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

describe('the models of endpoints', () => {
  it.each<[string, GatewayOptions['endpoints'], string]>([
    [
      'a model without the text that exa-js asks for',
      { exa: exa({ search: 'stub/web' }) },
      `exa.search: found "stub/web", expected ${WITH_TEXT}`,
    ],
    [
      'an alias of one',
      { exa: exa({ search: 'plain' }) },
      `exa.search: found "plain" with stub/web, expected ${WITH_TEXT}`,
    ],
    [
      'a group with one',
      { exa: exa({ search: 'both' }) },
      `exa.search: found "both" with stub/web, expected ${WITH_TEXT}`,
    ],
    [
      'a model that answers, for searches',
      { tavily: tavily({ search: 'exa/answer' }) },
      `tavily.search: found "exa/answer", expected ${SEARCHES}`,
    ],
    [
      'a model that searches, for pages',
      { firecrawl: firecrawl({ extract: 'stub/web' }) },
      'firecrawl.extract: found "stub/web", expected a callable model of category extract, an alias or a group of such models (stub/read).',
    ],
    [
      'a model that searches, for answers beside searches',
      { tavily: tavily({ search: 'full', answer: 'full' }) },
      'tavily.answer: found "full" with stub/full, expected a callable model of category answer',
    ],
    [
      'a model that searches, for answers',
      { exa: exa({ answer: 'stub/full' }) },
      'exa.answer: found "stub/full", expected a callable model of category answer',
    ],
    [
      'a group of searches, for pages',
      { tavily: tavily({ extract: 'both' }) },
      'tavily.extract: found "both" with stub/full, stub/web, expected a callable model of category extract',
    ],
    [
      'a mistyped model',
      { searxng: searxng({ search: 'stub/fulll' }) },
      `searxng.search: found "stub/fulll", expected ${SEARCHES} Did you mean "stub/full"?`,
    ],
    [
      'a default model of another category',
      { search: { defaultModel: 'stub/read' } },
      `search.defaultModel: found "stub/read", expected ${SEARCHES}`,
    ],
  ])('cannot be %s', async (_what, endpoints, message) => {
    await expect(build(endpoints)).rejects.toThrow(`endpoints.${message}`);
  });

  it('are all named in one error', async () => {
    const models = { search: 'exa/answer', extract: 'exa/answer', answer: 'stub/web' };
    const wrong = build({ exa: exa(models), firecrawl: firecrawl(models), rerank: { defaultModel: 'stub/web' } });
    const paths = [
      'rerank.defaultModel',
      'exa.search',
      'exa.extract',
      'exa.answer',
      'firecrawl.search',
      'firecrawl.extract',
    ];
    await expect(wrong).rejects.toMatchObject({ problems: paths.map((path) => ({ path: `endpoints.${path}` })) });
  });

  it('may be models, aliases and groups that fit, also where the path of their kind is off', async () => {
    for (const search of ['stub/full', 'full', 'fulls']) await build({ exa: exa({ search }), search: false });
    for (const search of ['stub/web', 'plain', 'both']) await build({ searxng: searxng({ search }), search: false });
  });
});
