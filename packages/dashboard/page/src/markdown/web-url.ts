/** Only web URLs become links: a `javascript:` URL of a source would run in the page. */
export function isWebUrl(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}
