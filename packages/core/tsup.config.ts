import { buildPackage } from '../../tsup.base.js';

export default buildPackage({
  index: 'src/index.ts',
  'node/index': 'src/node/index.ts',
  'providers/index': 'src/providers/index.ts',
  'testing/index': 'src/testing/index.ts',
});
