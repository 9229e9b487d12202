import type { ListedRow } from '../listed-row.js';

/** Extract models: an address in, its content out. A price per request covers one address or page. */
export const EXTRACT_MODELS: readonly ListedRow[] = [
  {
    id: 'exa/contents',
    name: 'Exa Contents',
    description: 'Page text, highlights or summaries for known addresses, cached or fetched live.',
    pricing: { request: '0.001' },
    features: ['markdown', 'highlights', 'summary', 'batch_urls', 'livecrawl'],
    provenance: {
      source: 'https://exa.ai/docs/admin/pricing; npm exa-js 2.23.0',
      asOf: '2026-11-10',
      confidence: 'high',
      notes: 'Per page and content type.',
    },
  },
  {
    id: 'jina/reader',
    name: 'Jina Reader (r.jina.ai)',
    description: 'Turns a web address or PDF into clean markdown for language models.',
    pricing: { request: '-1', perMillionTokens: '0.05' },
    features: ['markdown', 'html', 'js_render', 'screenshot', 'pdf', 'livecrawl'],
    provenance: {
      source:
        'https://jina.ai/contact-sales (output tokens counted); jina-ai/meta-prompt@6676f7a v9.txt; price: langgenius/dify-official-plugins@7af2283 models/jina (reranker-v3) and Portkey-AI/models@f654307 pricing/jina.json, one shared token balance',
      asOf: '2026-08-21',
      confidence: 'low',
      notes: 'Metered on output tokens.',
    },
  },
  {
    id: 'tavily/extract-basic',
    name: 'Tavily Extract (basic)',
    description: 'Cleaned text from a list of addresses.',
    pricing: { request: '0.0016' },
    features: ['markdown', 'batch_urls', 'images', 'highlights'],
    provenance: {
      source: 'https://docs.tavily.com/documentation/api-credits.md; tavily-ai/skills@a0fe267 references/extract.md',
      asOf: '2026-10-06',
      confidence: 'high',
      notes: 'One credit per five successful pages, so 0.0016 a page.',
    },
  },
  {
    id: 'tavily/extract-advanced',
    name: 'Tavily Extract (advanced)',
    description: 'Deeper extraction that also recovers tables and embedded content.',
    pricing: { request: '0.0032' },
    features: ['markdown', 'batch_urls', 'images', 'highlights'],
    provenance: {
      source: 'https://docs.tavily.com/documentation/api-credits.md; tavily-ai/skills@a0fe267 references/extract.md',
      asOf: '2026-10-06',
      confidence: 'high',
      notes: 'Two credits per five successful pages.',
    },
  },
  {
    id: 'firecrawl/scrape',
    name: 'Firecrawl Scrape',
    description: 'Renders a page and returns markdown, HTML, links, screenshots or typed JSON.',
    pricing: { request: '0.00099' },
    features: ['markdown', 'html', 'js_render', 'screenshot', 'pdf', 'structured_output', 'highlights', 'livecrawl'],
    provenance: {
      source: 'firecrawl/firecrawl-docs@2edce52 billing.mdx',
      asOf: '2026-08-21',
      confidence: 'medium',
      notes: 'One credit at the monthly 100k plan; JSON, question and highlight formats add four credits.',
    },
  },
  {
    id: 'linkup/fetch',
    name: 'Linkup Fetch',
    description: 'Fetches one address and returns markdown.',
    pricing: { request: '0.001' },
    features: ['markdown', 'html', 'images', 'livecrawl'],
    provenance: {
      source: 'https://docs.linkup.so/pages/changelog/usd-pricing',
      asOf: '2026-05-31',
      confidence: 'high',
    },
  },
  {
    id: 'linkup/fetch-js',
    name: 'Linkup Fetch (rendered)',
    description: 'Linkup fetch with JavaScript executed before conversion.',
    pricing: { request: '0.005' },
    features: ['markdown', 'html', 'images', 'js_render', 'livecrawl'],
    provenance: {
      source: 'https://docs.linkup.so/pages/changelog/usd-pricing',
      asOf: '2026-05-31',
      confidence: 'high',
    },
  },
  {
    id: 'parallel/extract',
    name: 'Parallel Extract',
    description: 'Focused excerpts or the full text of up to twenty addresses a call.',
    pricing: { request: '0.001' },
    features: ['markdown', 'highlights', 'batch_urls', 'livecrawl'],
    provenance: {
      source:
        'https://raw.githubusercontent.com/api-evangelist/parallel/refs/heads/main/plans/parallel-plans-pricing.yml; npm parallel-web 1.3.3',
      asOf: '2026-08-14',
      confidence: 'high',
      notes: 'Per address.',
    },
  },
  {
    id: 'you/contents',
    name: 'You.com Contents',
    description: 'Markdown or HTML for a batch of known addresses.',
    pricing: { request: '0.001' },
    features: ['markdown', 'html', 'batch_urls', 'livecrawl'],
    provenance: {
      source: 'https://you.com/docs/administration/billing',
      asOf: '2026-10-06',
      confidence: 'high',
      notes: 'Per page.',
    },
  },
  {
    id: 'valyu/contents',
    name: 'Valyu Contents',
    description: 'Extracts pages and can summarise them or fill a JSON schema.',
    pricing: { request: '0.001' },
    features: ['markdown', 'summary', 'structured_output', 'batch_urls', 'screenshot', 'livecrawl'],
    provenance: {
      source: 'https://docs.valyu.ai/pricing; npm valyu-js 2.10.2',
      asOf: '2026-09-29',
      confidence: 'medium',
      notes:
        'Base extraction per address; AI processing is charged on top. The last digit of the base rate is uncertain.',
    },
  },
  {
    id: 'deepseek/fetch',
    name: 'DeepSeek Fetch',
    description: 'Returns the markdown body of one address.',
    pricing: { request: '0.00075' },
    features: ['markdown'],
    provenance: {
      source:
        'https://www.skills.sh/jpcaparas/skills/deepseek-search (reads https://api-docs.deepseek.com/guides/search/)',
      asOf: '2026-11-10',
      confidence: 'high',
      notes: 'Only successful fetches are billed.',
    },
  },
  {
    id: 'browserbase/fetch',
    name: 'Browserbase Fetch',
    description: 'Lightweight page fetch with raw, markdown or schema-shaped output.',
    pricing: { request: '0.001' },
    features: ['markdown', 'html', 'structured_output', 'livecrawl'],
    provenance: {
      source: 'https://vercel.com/ai-gateway/models/providers/browserbase; npm @ai-sdk/gateway 4.0.146',
      asOf: '2026-11-13',
      confidence: 'medium',
      notes: 'Base rate as resold by Vercel AI Gateway; proxies and JSON mode cost more.',
    },
  },
  {
    id: 'diffbot/extract',
    name: 'Diffbot Extract',
    description: 'Detects the page type and returns structured article, product or discussion data.',
    pricing: { request: '-1' },
    features: ['structured_output', 'images'],
    provenance: {
      source: 'https://docs.diffbot.com/docs/how-credits-work',
      asOf: '2026-09-06',
      confidence: 'medium',
      notes: 'One credit a page, two with a proxy; the credit price depends on the plan.',
    },
  },
  {
    id: 'zyte/extract',
    name: 'Zyte API Extraction',
    description: 'Fetches hard-to-reach pages and extracts typed fields automatically.',
    pricing: { request: '-1' },
    features: ['html', 'js_render', 'screenshot', 'structured_output', 'livecrawl'],
    provenance: {
      source: 'https://raw.githubusercontent.com/api-evangelist/zyte/refs/heads/main/plans/zyte-plans-pricing.yml',
      asOf: '2026-08-29',
      confidence: 'medium',
      notes: "Price depends on the site's tier and the features asked for.",
    },
  },
];
