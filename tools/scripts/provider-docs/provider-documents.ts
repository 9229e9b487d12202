import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { readVerified } from '../../../packages/server/src/verified-models.js';
import { withGenerated } from './generated-part.js';
import { featureTable, KIND_TABLES, optionTable } from './option-table.js';
import { modelTable, overviewTable, providerLinks } from './provider-tables.js';

/** The current and the expected text of a document. */
export interface ProviderDocument {
  /** Relative to the root. */
  readonly path: string;
  readonly current: string;
  readonly wanted: string;
}

/**
 * The overviews of all providers' models, their list in the README of core, and the page of each.
 *
 * @throws Error naming a page that is missing, or has no place for the generated text.
 */
export function providerDocuments(root: string, providers: readonly Provider[]): ProviderDocument[] {
  const file = join(root, 'docs/verified.json');
  const verified = existsSync(file) ? readVerified(file) : {};
  const pages = providers.map((provider) =>
    documentAt(root, `docs/providers/${provider.id}.md`, (markdown) =>
      withGenerated(markdown, 'models', modelTable(provider, verified)),
    ),
  );
  const overview = documentAt(root, 'docs/providers.md', (markdown) =>
    withGenerated(withGenerated(markdown, 'providers', overviewTable(providers)), 'options', optionTable(providers)),
  );
  const features = documentAt(root, 'docs/conversations.md', (markdown) =>
    withGenerated(markdown, 'features', featureTable(providers)),
  );
  const readme = documentAt(root, 'packages/core/README.md', (markdown) =>
    withGenerated(markdown, 'providers', providerLinks(providers)),
  );
  const kinds = Object.entries(KIND_TABLES).map(([name, table]) =>
    documentAt(root, `docs/${name}.md`, (markdown) => withGenerated(markdown, 'models', table(providers))),
  );
  return [overview, features, ...kinds, readme, ...pages];
}

function documentAt(root: string, path: string, complete: (markdown: string) => string): ProviderDocument {
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing: every provider has its own page`);
  const current = readFileSync(join(root, path), 'utf8');
  try {
    return { path, current, wanted: complete(current) };
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
