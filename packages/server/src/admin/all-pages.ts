const PAGE_SIZE = 1_000;

/** Yields all pages of a list. */
export async function* allPages<Page extends { readonly nextCursor: string | null }>(
  read: (query: { readonly limit: number; readonly cursor?: string | undefined }) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: Page = await read({ limit: PAGE_SIZE, cursor });
    yield page;
    cursor = page.nextCursor;
  }
}
