import { buildPackage } from '../../tsup.base.js';

export default buildPackage({ index: 'src/index.ts' });
