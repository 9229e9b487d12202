import { buildPackage } from '../../tsup.base.js';

export default buildPackage({
  index: 'src/index.ts',
  'administration/index': 'src/administration/index.ts',
  'extensions/index': 'src/extensions/index.ts',
  'ledger/index': 'src/ledger/index.ts',
  'metrics/index': 'src/metrics/index.ts',
  'node/index': 'src/node/index.ts',
  'openapi/index': 'src/openapi/index.ts',
  'provider-kit/index': 'src/provider-kit/index.ts',
  'providers/index': 'src/providers/index.ts',
});
