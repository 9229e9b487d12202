import type { ApiKeyRecord, ApiKeyRegistry } from '../auth/api-key-registry.js';

const LARGEST_PAGE = 1_000;

/** All keys of an organization, page by page. */
export async function* keyPages(
  apiKeys: ApiKeyRegistry,
  organizationId: string,
): AsyncGenerator<readonly ApiKeyRecord[]> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await apiKeys.listKeys({
      organizationId,
      limit: LARGEST_PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    yield page.items;
    cursor = page.nextCursor;
  }
}
