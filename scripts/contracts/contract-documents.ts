/** The OpenAPI document of a vendor, or why there is none. */
export type ContractDocument = KnownDocument | MissingDocument;

interface MissingDocument {
  readonly provider: string;
  readonly missing: string;
}

export interface KnownDocument {
  readonly provider: string;
  /** Its name in the folder of documents. */
  readonly file: string;
  /** Where the vendor publishes it. */
  readonly origin: string;
  /** Where a copy of it, or the vendor's own, is public. */
  readonly copy: PublicCopy;
  /** What a reader of the results should know of it. */
  readonly notes?: string;
  /** Settings of the provider that put every field into its requests that it can send. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What is known not to be as the document has it, and stays. One that is not found any more fails the run. */
  readonly deviations?: readonly Deviation[];
}

export interface Deviation {
  /** How a problem begins that it stands for: `body.depth:`. */
  readonly problem: string;
  /** Default: all models of the provider. */
  readonly models?: readonly string[];
  readonly reason: string;
}

interface PublicCopy {
  /** On GitHub; `null` where only the vendor's own page was seen. */
  readonly repository: string | null;
  readonly path: string;
  readonly commit: string | null;
  /** When it got its present state; `null` where that is not known. */
  readonly date: string | null;
  /** Of the repository; `null` where none was seen. */
  readonly license: string | null;
}

/** What was to be had on 2026-11-21. The documents themselves stay out of this repository: they are large, and others'. */
export const CONTRACT_DOCUMENTS: readonly ContractDocument[] = [
  {
    provider: 'anthropic',
    file: 'anthropic.yaml',
    origin: 'the document Anthropic’s SDKs are made from',
    copy: {
      repository: 'tryAGI/Anthropic',
      path: 'src/libs/Anthropic/openapi.yaml',
      commit: '8b42a21e6aa7fc9b521cc0c1581f586480b5cad3',
      date: '2026-05-06',
      license: 'MIT',
    },
    settings: {
      effort: 'max',
      userLocation: { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' },
    },
  },
  {
    provider: 'brave',
    missing:
      'The API for answers is documented on web pages only; the documents in circulation were written by others and leave it out.',
  },
  {
    provider: 'deepseek',
    missing: 'DeepSeek documents its API on web pages only; the form of its Messages endpoint is Anthropic’s.',
  },
  {
    provider: 'desearch',
    file: 'desearch.json',
    origin: 'https://api.desearch.ai/openapi.json',
    copy: {
      repository: 'roboalchemist/desearch-cli',
      path: 'openapi.json',
      commit: '9f03c36f0089ec33b1adc391e39bc7c564a78c7c',
      date: '2026-03-31',
      license: 'MIT',
    },
    settings: { dateFilter: 'PAST_YEAR' },
    deviations: [
      {
        problem: 'body.model:',
        reason:
          '`model` is in the vendor’s description of its tool (2026), not in its document: it may choose nothing any more',
      },
    ],
  },
  {
    provider: 'exa',
    file: 'exa.yaml',
    origin: 'the repository itself',
    copy: {
      repository: 'exa-labs/openapi-spec',
      path: 'exa-openapi-spec.yaml',
      commit: '57d917823aa0cec02385104dc3bb795cdf5d7da8',
      date: '2026-04-02',
      license: null,
    },
    settings: { snippets: true },
    deviations: [
      {
        problem: 'body.type: Request body property type must be equal to one of the allowed values',
        models: ['exa/answer-deep-lite'],
        reason: 'the document is older than `deep-lite` (exa.ai/docs, read 2026-11-20)',
      },
      {
        problem: 'body.userLocation:',
        models: ['exa/answer'],
        reason: 'the document has it for `/search` alone; exa.ai/docs has it for `/answer` too (read 2026-11-20)',
      },
    ],
  },
  {
    provider: 'google',
    file: 'google.json',
    origin: 'https://generativelanguage.googleapis.com/$discovery/rest?version=v1beta',
    copy: {
      repository: 'tryAGI/Google_Generative_AI',
      path: 'src/libs/Google.Gemini/openapi.json',
      commit: 'be52b853d32f109ec58bfb05f13ef1b1468fa712',
      date: '2026-08-22',
      license: 'MIT',
    },
    notes: 'Google publishes a discovery document; the repository turns it into OpenAPI.',
    settings: { thinkingLevel: 'high' },
    deviations: [
      {
        problem: 'path.modelsid:',
        reason: 'a mistake of the conversion, which asks for `models/` twice',
      },
    ],
  },
  {
    provider: 'jina',
    missing:
      'https://deepsearch.jina.ai/openapi.json asks for a login (2026-10); the document of api.jina.ai is about another API on the same path.',
  },
  { provider: 'kagi', missing: 'The document Kagi publishes is about version 1 of its API, which has no FastGPT.' },
  {
    provider: 'linkup',
    file: 'linkup.yaml',
    origin: 'https://api.linkup.so/v1/openapi.json',
    copy: {
      repository: null,
      path: 'https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search.md',
      commit: null,
      date: null,
      license: null,
    },
    notes: 'An older state, from a copy of the page that shows it.',
    settings: { inlineCitations: true, maxResults: 5 },
    deviations: [
      {
        problem: 'body.depth: Request body property depth must be equal to one of the allowed values',
        models: ['linkup/answer-fast', 'linkup/answer-flash'],
        reason:
          'this state is older than the depths `fast` and `flash` (Linkup’s SDK of 2026-08 and its price page, read 2026-11-20)',
      },
    ],
  },
  {
    provider: 'mistral',
    file: 'mistral.yaml',
    origin: 'the repository itself',
    copy: {
      repository: 'mistralai/platform-docs-public',
      path: 'public/openapi.yaml',
      commit: '222f4ba9114f84ce9f2d718b9a12fbac1e527f4b',
      date: '2026-08-13',
      license: 'Apache-2.0',
    },
    settings: { searchTool: 'web_search_premium' },
  },
  {
    provider: 'openai',
    file: 'openai.json',
    origin: 'the repository itself',
    copy: {
      repository: 'openai/openai-openapi',
      path: 'openapi.json',
      commit: 'f85dbe223d40e1a31cba812ab2d755c7e98a92a3',
      date: '2026-08-21',
      license: 'MIT',
    },
    settings: { searchContextSize: 'high', reasoningEffort: 'xhigh', country: 'DE' },
  },
  {
    provider: 'openrouter',
    missing: 'No copy of the document behind OpenRouter’s SDKs was looked for yet (2026-11-22).',
  },
  {
    provider: 'parallel',
    file: 'parallel.yaml',
    origin: 'https://docs.parallel.ai/public-openapi.json',
    copy: {
      repository: 'api-evangelist/parallel',
      path: 'openapi/parallel-responses-api-api-openapi.yml',
      commit: '99b23415da1d994a250a080cb21cd704fd448909',
      date: null,
      license: null,
    },
    notes: 'The part about `/v1/responses`, without descriptions and the schemas of replies.',
    settings: {},
    deviations: [
      {
        problem: 'body.tools:',
        reason: 'the document is older than the filters of the tool (docs.parallel.ai, read 2026-11-22)',
      },
    ],
  },
  {
    provider: 'perplexity',
    file: 'perplexity.json',
    origin: 'https://docs.perplexity.ai',
    copy: {
      repository: 'api-evangelist/perplexity',
      path: 'openapi/_original/perplexity-openapi.json',
      commit: 'f1cf286de9e779c1010f9c88f67eb41f8d0517af',
      date: '2026-08-03',
      license: null,
    },
    settings: { tierModel: null },
    deviations: [
      {
        problem: 'body.tool_choice:',
        models: ['perplexity/sonar'],
        reason: 'newer than the document; in use since 2026-09, and without it the search may be left out',
      },
      { problem: 'body.store:', reason: 'newer than the document; in the SDK of 2026-08-31 and in use since' },
      {
        problem: 'body.effort:',
        models: ['perplexity/fast', 'perplexity/low', 'perplexity/medium', 'perplexity/high', 'perplexity/xhigh'],
        reason: 'the document is older than the name, which docs.perplexity.ai has (read 2026-11-22); it says `preset`',
      },
    ],
  },
  {
    provider: 'serpapi',
    missing: 'SerpApi publishes no OpenAPI document; those in circulation were written by others.',
  },
  {
    provider: 'tavily',
    file: 'tavily.json',
    origin: 'https://docs.tavily.com/documentation/api-reference/openapi.json',
    copy: {
      repository: 'tryAGI/Tavily',
      path: 'src/libs/Tavily/openapi.json',
      commit: '59a6d65312cc70bdaec631efad71424f0a43b133',
      date: '2026-08-12',
      license: 'MIT',
    },
    settings: { country: 'germany', maxResults: 20 },
  },
  { provider: 'valyu', missing: 'No copy of the document behind docs.valyu.ai could be found.' },
  {
    provider: 'xai',
    file: 'xai.yaml',
    origin: 'https://docs.x.ai/openapi.json',
    copy: {
      repository: 'api-evangelist/xai',
      path: 'openapi/xai-responses-api-openapi.yml',
      commit: '12b8eae7f21b95caa156b527e2a1c6d448970827',
      date: null,
      license: null,
    },
    notes: 'The part about `/v1/responses`, without descriptions and the schemas of replies.',
    settings: { reasoningEffort: 'high' },
  },
  {
    provider: 'you',
    file: 'you.yaml',
    origin: 'the document You.com’s SDK is made from',
    copy: {
      repository: 'youdotcom-oss/youdotcom-typescript-sdk',
      path: '.speakeasy/out.openapi.yaml',
      commit: '343eaade3dd7ed3c7039c64637761caf727ac612',
      date: '2026-03-03',
      license: null,
    },
    settings: { country: 'DE', language: 'DE', safesearch: 'strict' },
    deviations: [
      {
        problem: '404: Route not resolved, no path matched',
        models: ['you/answer'],
        reason: 'the document is older than `/v1/answer`, and no later one could be found',
      },
      {
        problem: 'body.source_control:',
        models: ['you/research-lite', 'you/research-standard', 'you/research-deep', 'you/research-exhaustive'],
        reason: 'the document is older than the field (2026-04-28; you.com/docs, read 2026-11-22)',
      },
    ],
  },
  {
    provider: 'zai',
    file: 'zai.yaml',
    origin: 'https://docs.z.ai/openapi.json',
    copy: {
      repository: 'tryAGI/ZAI',
      path: 'src/libs/ZAI/openapi.yaml',
      commit: '07422e603b43a0d5ceacd7b3b35f40a51e1a8218',
      date: null,
      license: null,
    },
    notes: 'The part about `/paas/v4/chat/completions`, without descriptions and the schemas of replies.',
    settings: { contentSize: 'high' },
    deviations: [
      {
        problem: 'body',
        models: ['zai/glm-5.3-flash'],
        reason:
          'the document offers this model functions but no web search, which third parties report to work (2026-09)',
      },
    ],
  },
];
