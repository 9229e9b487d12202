import type { PageFailure } from './provider.js';

/** What the HTTP status of a page means. @returns `undefined` for a page that was read, and without a status. */
export function failureOfStatus(status: number | null | undefined): PageFailure | undefined {
  if (status == null || status < 400) return undefined;
  if (status === 404 || status === 410) return 'page_not_found';
  if (status === 401 || status === 403 || status === 451) return 'page_forbidden';
  if (status === 408 || status === 504) return 'page_timeout';
  return status === 415 ? 'page_unsupported' : 'page_failed';
}

/** The pages whose address a vendor names: of others nobody knows which they are. */
export function namedPages<Page extends { readonly url?: string | null | undefined }>(pages: readonly Page[]) {
  return pages.filter((page): page is Page & { readonly url: string } => Boolean(page.url));
}
