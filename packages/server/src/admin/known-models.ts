import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { searxng } from '@searchgate/core/providers';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { vendorProviders } from '../create-providers.js';
import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';

/** What the servers of a checkout add to the provider `local`, and what the address of a chat server makes. */
const OF_EXAMPLES = ['local/rerank', 'local/embed', 'ask/web'].map((id) => ({ id }));

/**
 * The models that a key may be allowed to call: those of all providers, since a command may run where no provider has its key, and those that the
 * configuration adds.
 */
export function knownModels({ SEARCHGATE_CONFIG: file }: Environment): { readonly id: string }[] {
  const documents = [{ source: 'any', url: 'https://example.org/', markdown: '# Any' }];
  const gateway = createGateway({
    providers: [localDocs({ documents }), searxng({ baseUrl: 'http://127.0.0.1' }), ...vendorProviders()],
    ledger: memoryLedger(),
    apiKeys: memoryApiKeys(),
  });
  const models = gateway.models();
  void gateway.close();
  return [...models, ...OF_EXAMPLES, ...(file ? addedModels(readJsonFile(file)) : [])];
}

function addedModels(content: unknown): { id: string }[] {
  const { models = {}, providers = {}, composed = {} } = (content ?? {}) as Record<string, object | undefined>;
  const lists = Object.values(providers).flatMap((settings: unknown) => Object.values(settings ?? {}) as unknown[]);
  const slugs = lists.flatMap((list) =>
    Array.isArray(list) ? (list as ({ slug?: unknown } | null)[]).map((row) => row?.slug) : [],
  );
  const made = Object.entries<object | null>({ ...composed }).flatMap(([id, own]) =>
    Object.keys(own ?? {}).map((name) => `${id}/${name}`),
  );
  return [...Object.keys(models), ...slugs, ...made].filter((id) => typeof id === 'string').map((id) => ({ id }));
}
