import { buildPackage } from '../../tsup.base.js';
import { checkModelFiles } from './test/model-files.js';

// Starts trust the files.
checkModelFiles('src/providers');

export default buildPackage({
  index: 'src/index.ts',
  'administration/index': 'src/admin/index.ts',
  'extensions/index': 'src/http/extensions.ts',
  'ledger/index': 'src/ledger/index.ts',
  'metrics/index': 'src/admin/metrics.ts',
  'node/index': 'src/node/index.ts',
  'openapi/index': 'src/http/openapi/open-api-document.ts',
  'provider-kit/index': 'src/provider-kit/index.ts',
  'providers/index': 'src/providers/exports.ts',
});
