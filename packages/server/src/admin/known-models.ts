import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import * as allProviders from '@searchgate/core/providers';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';

/**
 * The models that a key may be allowed to call: those of all providers, since a command may run where no provider has its key, and those that the
 * configuration adds.
 */
export function knownModels({ SEARCHGATE_CONFIG: file }: Environment): { readonly id: string }[] {
  const documents = [{ source: 'any', url: 'https://example.org/', markdown: '# Any' }];
  const providers = Object.values(allProviders).map((create) => create({ apiKey: 'any-key-of-an-account' }));
  const gateway = createGateway({
    providers: [localDocs({ documents }), ...providers],
    ledger: memoryLedger(),
    apiKeys: memoryApiKeys(),
  });
  const models = gateway.models();
  void gateway.close();
  return [...models, ...(file ? addedModels(readJsonFile(file)) : [])];
}

function addedModels(content: unknown): { id: string }[] {
  const { models = {} } = (content ?? {}) as { models?: object };
  return Object.keys(models).map((id) => ({ id }));
}
