import { buildPackage } from '../../tsup.base.js';

export default buildPackage(
  { index: 'src/index.ts' },
  {
    bundledTypes: {
      '@searchgate/core': ['../core/dist/index.d.ts'],
      '@searchgate/core/extensions': ['../core/dist/extensions/index.d.ts'],
    },
  },
);
