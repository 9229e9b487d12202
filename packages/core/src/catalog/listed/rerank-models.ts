import type { ListedRow } from '../listed-row.js';

/** Rerank models: a query and documents in, an order of relevance out. One request is one query with at most 100 documents. */
export const RERANK_MODELS: readonly ListedRow[] = [
  {
    id: 'cohere/rerank-v5.0-pro',
    name: 'Cohere Rerank 5 Pro',
    description: "Cohere's most accurate reranker for long or reasoning-heavy relevance judgements.",
    pricing: { perMillionTokens: '0.05' },
    features: ['long_context'],
    contextLength: 32_768,
    provenance: {
      source:
        'https://www.getmaxim.ai/bifrost/llm-cost-calculator/provider/cohere/model/rerank-v5.0-pro.md; https://docs.cohere.com/changelog/embed-rerank-v5-openrouter',
      asOf: '2026-11-13',
      confidence: 'medium',
    },
  },
  {
    id: 'cohere/rerank-v5.0-fast',
    name: 'Cohere Rerank 5 Fast',
    description: 'Cheaper, faster sibling of Rerank 5 Pro.',
    pricing: { perMillionTokens: '0.02' },
    features: ['long_context'],
    contextLength: 32_768,
    provenance: {
      source:
        'https://www.getmaxim.ai/bifrost/llm-cost-calculator/provider/cohere/model/rerank-v5.0-fast.md; https://docs.cohere.com/changelog/embed-rerank-v5-openrouter',
      asOf: '2026-11-13',
      confidence: 'medium',
    },
  },
  {
    id: 'cohere/rerank-v4.0-pro',
    name: 'Cohere Rerank 4 Pro',
    description: 'Multilingual reranker for text and semi-structured JSON, tuned for quality.',
    pricing: { request: '0.0025' },
    features: ['multilingual', 'long_context', 'structured_documents'],
    contextLength: 32_768,
    provenance: {
      source:
        'Portkey-AI/models@f654307 pricing/cohere.json; https://developer.puter.com/tutorials/cohere-api-pricing/; cohere-developer-experience models.mdx',
      asOf: '2026-08-21',
      confidence: 'high',
      notes: 'One request means one search unit: one query with up to 100 documents.',
    },
  },
  {
    id: 'cohere/rerank-v4.0-fast',
    name: 'Cohere Rerank 4 Fast',
    description: 'Multilingual reranker tuned for latency and throughput.',
    pricing: { request: '0.002' },
    features: ['multilingual', 'long_context', 'structured_documents'],
    contextLength: 32_768,
    provenance: {
      source:
        'Portkey-AI/models@f654307 pricing/cohere.json; https://developer.puter.com/tutorials/cohere-api-pricing/; cohere-developer-experience models.mdx',
      asOf: '2026-08-21',
      confidence: 'high',
    },
  },
  {
    id: 'cohere/rerank-v3.5',
    name: 'Cohere Rerank 3.5',
    description: 'Earlier multilingual Cohere reranker with a short context.',
    pricing: { request: '0.002' },
    features: ['multilingual', 'structured_documents', 'legacy'],
    contextLength: 4096,
    provenance: {
      source:
        'BerriAI/litellm model_prices_and_context_window.json (copy in Prajwalsrinvas/token-tariff@77b8722); Portkey-AI/models@f654307 pricing/cohere.json',
      asOf: '2026-08-21',
      confidence: 'high',
    },
  },
  {
    id: 'voyage/rerank-3',
    name: 'Voyage Rerank 3',
    description: 'Current Voyage reranker, strongest on long documents and code.',
    pricing: { perMillionTokens: '0.05' },
    features: ['instructions', 'long_context', 'code'],
    contextLength: 32_000,
    provenance: {
      source:
        'https://vercel.com/changelog/voyage-rerank-3-and-rerank-3-lite-are-now-available-on-ai-gateway; https://www.getmaxim.ai/bifrost/llm-cost-calculator/provider/voyage/model/rerank-3.md',
      asOf: '2026-11-13',
      confidence: 'high',
    },
  },
  {
    id: 'voyage/rerank-3-lite',
    name: 'Voyage Rerank 3 Lite',
    description: 'Latency- and cost-tuned version of Rerank 3.',
    pricing: { perMillionTokens: '0.02' },
    features: ['instructions', 'long_context', 'code'],
    contextLength: 32_000,
    provenance: {
      source:
        'https://vercel.com/changelog/voyage-rerank-3-and-rerank-3-lite-are-now-available-on-ai-gateway; https://www.getmaxim.ai/bifrost/llm-cost-calculator/provider/voyage/model/rerank-3-lite.md',
      asOf: '2026-11-13',
      confidence: 'high',
    },
  },
  {
    id: 'voyage/rerank-2.5',
    name: 'Voyage Rerank 2.5',
    description: 'Instruction-following multilingual reranker, one generation back.',
    pricing: { perMillionTokens: '0.05' },
    features: ['multilingual', 'instructions', 'long_context'],
    contextLength: 32_000,
    provenance: {
      source:
        'BerriAI/litellm model_prices_and_context_window.json (copy in Prajwalsrinvas/token-tariff@77b8722); https://openrouter.ai/voyageai',
      asOf: '2026-08-01',
      confidence: 'high',
    },
  },
  {
    id: 'voyage/rerank-2.5-lite',
    name: 'Voyage Rerank 2.5 Lite',
    description: 'Smaller instruction-following reranker for high-throughput pipelines.',
    pricing: { perMillionTokens: '0.02' },
    features: ['multilingual', 'instructions', 'long_context'],
    contextLength: 32_000,
    provenance: {
      source:
        'BerriAI/litellm model_prices_and_context_window.json (copy in Prajwalsrinvas/token-tariff@77b8722); https://openrouter.ai/voyageai',
      asOf: '2026-08-01',
      confidence: 'high',
    },
  },
  {
    id: 'jina/jina-reranker-v3.5',
    name: 'Jina Reranker v3.5',
    description: 'Listwise multilingual reranker that reads all candidates in one window.',
    pricing: { perMillionTokens: '0.05' },
    features: ['multilingual', 'return_documents', 'long_context'],
    contextLength: 131_072,
    provenance: {
      source:
        'https://jina.ai/en-US/models/jina-reranker-v3.5/; jina-ai/jina-on-prem@c9fde81 models/catalog.json; price: langgenius/dify-official-plugins@7af2283 models/jina (reranker-v3) and Portkey-AI/models@f654307 pricing/jina.json, one shared token balance',
      asOf: '2026-08-13',
      confidence: 'medium',
      notes: 'Released 2026-07-27; price assumed equal to v3.',
    },
  },
  {
    id: 'jina/jina-reranker-v3',
    name: 'Jina Reranker v3',
    description: 'First listwise Jina reranker, with a very long shared context.',
    pricing: { perMillionTokens: '0.05' },
    features: ['multilingual', 'return_documents', 'long_context', 'code'],
    contextLength: 131_072,
    provenance: {
      source:
        'jina-ai/jina-on-prem@c9fde81 models/catalog.json; price: langgenius/dify-official-plugins@7af2283 models/jina (reranker-v3) and Portkey-AI/models@f654307 pricing/jina.json, one shared token balance',
      asOf: '2026-08-21',
      confidence: 'high',
    },
  },
  {
    id: 'jina/jina-reranker-v2-base-multilingual',
    name: 'Jina Reranker v2 Base Multilingual',
    description: 'Small multilingual cross-encoder for short passages.',
    pricing: { perMillionTokens: '0.02' },
    features: ['multilingual', 'return_documents', 'legacy'],
    contextLength: 1024,
    provenance: {
      source:
        'BerriAI/litellm model_prices_and_context_window.json (copy in Prajwalsrinvas/token-tariff@77b8722); Portkey-AI/models@f654307 pricing/jina.json; jina-ai/jina-on-prem@c9fde81 models/catalog.json',
      asOf: '2026-08-21',
      confidence: 'medium',
    },
  },
  {
    id: 'mixedbread/mxbai-rerank-large-v2',
    name: 'Mixedbread Rerank Large v2',
    description: 'Open-weight multilingual pointwise reranker hosted by Mixedbread.',
    pricing: { request: '-1' },
    features: ['multilingual', 'return_documents', 'code'],
    contextLength: 8000,
    provenance: {
      source: 'langgenius/dify-official-plugins@7af2283 models/mixedbread; https://mixedbread.com/docs/models',
      asOf: '2026-08-21',
      confidence: 'low',
      notes: 'No published page states a rate; treat as metered from returned token usage.',
    },
  },
  {
    id: 'zeroentropy/zerank-2',
    name: 'ZeroEntropy zerank-2',
    description: 'Open-weight reranker trained for finance, legal, medical, STEM and code text.',
    pricing: { perMillionTokens: '0.025' },
    features: ['code', 'long_context'],
    contextLength: 32_768,
    provenance: {
      source:
        'https://raw.githubusercontent.com/api-evangelist/zeroentropy/refs/heads/main/plans/zeroentropy-plans-pricing.yml; https://huggingface.co/zeroentropy/zerank-2-reranker',
      asOf: '2026-10-07',
      confidence: 'high',
    },
  },
  {
    id: 'contextual/ctxl-rerank-v2-instruct-multilingual',
    name: 'Contextual Rerank v2',
    description: 'Reranker that follows written preferences such as recency or source priority.',
    pricing: { perMillionTokens: '0.05' },
    features: ['multilingual', 'instructions'],
    contextLength: 8000,
    provenance: {
      source:
        'https://raw.githubusercontent.com/api-evangelist/contextual-ai/refs/heads/main/plans/contextual-ai-plans-pricing.yml; npm contextual-client 0.10.0',
      asOf: '2026-06-20',
      confidence: 'high',
      notes: '8,000 tokens for query, instruction and one document; 400,000 a request.',
    },
  },
  {
    id: 'contextual/ctxl-rerank-v2-instruct-multilingual-mini',
    name: 'Contextual Rerank v2 Mini',
    description: "Smaller, cheaper version of Contextual's instruction-following reranker.",
    pricing: { perMillionTokens: '0.02' },
    features: ['multilingual', 'instructions'],
    contextLength: 8000,
    provenance: {
      source:
        'https://raw.githubusercontent.com/api-evangelist/contextual-ai/refs/heads/main/plans/contextual-ai-plans-pricing.yml; npm contextual-client 0.10.0',
      asOf: '2026-06-20',
      confidence: 'high',
    },
  },
  {
    id: 'alibaba/qwen3-rerank',
    name: 'Qwen3 Rerank',
    description: 'Hosted Qwen reranker for more than 100 languages.',
    pricing: { perMillionTokens: '0.1' },
    features: ['multilingual', 'long_context'],
    contextLength: 30_000,
    provenance: {
      source: 'https://www.alibabacloud.com/help/en/model-studio/qwen3-rerank',
      asOf: '2026-10-11',
      confidence: 'high',
      notes: 'Singapore (international) rate.',
    },
  },
];
