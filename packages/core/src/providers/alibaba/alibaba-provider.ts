import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

/**
 * Alibaba Cloud Model Studio (alibabacloud.com), in Singapore: `POST /compatible-api/v1/reranks` and `POST /compatible-mode/v1/embeddings`. Other regions
 * have a `baseUrl` and prices of their own. It cuts texts that are too long for the rerank model. Facts are of its documents of 2026-03 to 2026-10, read on
 * 2026-11-27.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const alibaba = retrievalProvider({
  id: 'alibaba',
  models: rows,
  name: 'Alibaba Cloud',
  baseUrl: 'https://dashscope-intl.aliyuncs.com',
  errors: [
    // Words of errors quoted in public (medium confidence).
    { code: /^(?:Arrearage|AllocationQuota)/i, reason: 'upstream_quota_exhausted' },
    { status: 400, message: /too long|exceed/i, reason: 'query_rejected' },
    { status: 400, code: /^data_?inspection_?failed$/i, reason: 'query_rejected' },
  ],
  rerank: { path: '/compatible-api/v1/reranks' },
  embed: {
    path: '/compatible-mode/v1/embeddings',
    maxInputs: 10,
    // The compatible form has no field for the role of a text, and numbers alone.
    request: ({ model, inputs, dimensions }) => ({ model, input: inputs, encoding_format: 'float', dimensions }),
  },
});
