import type { ApiKeyRecord, ApiKeyRegistry } from '../auth/api-key-registry.js';

/** The largest page of a registry or a log. */
export const LARGEST_PAGE = 1_000;

/** All pages of a list. */
export async function* pagesOf<Page extends { readonly nextCursor: string | null }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let page: Page | undefined;
  while (page?.nextCursor !== null) yield (page = await read(page?.nextCursor));
}

/** All keys of an organization. */
export async function* keysOf(apiKeys: ApiKeyRegistry, organizationId: string): AsyncGenerator<ApiKeyRecord> {
  const pages = pagesOf((cursor) => apiKeys.listKeys({ organizationId, limit: LARGEST_PAGE, cursor }));
  for await (const { items } of pages) yield* items;
}
