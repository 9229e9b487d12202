import { buildPackage } from '../../tsup.base.js';

/** Only the suite for hosts needs the forms of other clients: whoever installs this package for its fake provider need not install them. */
export default buildPackage({ index: 'src/index.ts' }, { bundled: ['@searchgate/dialects'] });
