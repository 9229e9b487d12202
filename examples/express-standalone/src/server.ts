import { runService } from '@searchgate/server';
import { demoDocuments } from '@searchgate-examples/local-docs-provider';
import { localModels } from '@searchgate-examples/local-models';
import { buildApp } from './app.js';

await runService(process.env, {
  buildHandler: buildApp,
  documents: demoDocuments,
  localPorts: localModels(),
  adminCommand: 'npm run admin --',
});
