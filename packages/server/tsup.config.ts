import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { demoDocuments } from '../../examples/local-docs-provider/src/documents.js';
import { buildPackage } from '../../tsup.base.js';

/** The demo provider is an example, not an npm package: its code and documents become part of this package. */
export default buildPackage(
  { index: 'src/index.ts', bin: 'src/bin/searchgate.ts' },
  {
    bundled: ['@searchgate-examples/local-docs-provider'],
    optional: ['@searchgate/mcp', '@searchgate/opentelemetry', '@opentelemetry/sdk-node'],
    shims: true,
    onSuccess: async () => {
      writeFileSync('dist/documents.json', JSON.stringify(demoDocuments().documents));
      writeFileSync('dist/config.schema.json', execFileSync(process.execPath, ['dist/bin.js', 'schema']));
    },
  },
);
