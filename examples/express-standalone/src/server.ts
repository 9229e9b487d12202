import { runService } from '@searchgate/server';
import { demoDocuments } from '@searchgate-examples/local-docs-provider';
import { buildApp } from './app.js';

await runService(process.env, {
  buildHandler: buildApp,
  documents: demoDocuments,
  adminCommand: 'npm run admin --',
});
