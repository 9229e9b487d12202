import type { RegistryPage, RegistryQuery } from '@searchgate/core/ledger';

const PAGE_SIZE = 500;

/** Goes through a list page by page. */
export async function* allPages<T>(
  list: (query: RegistryQuery) => Promise<RegistryPage<T>>,
): AsyncGenerator<readonly T[]> {
  let cursor: string | null = null;
  do {
    const page: RegistryPage<T> = await list({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
