/** An address without what does not choose the page: scheme, `www.`, a last slash, a fragment and tags of campaigns. As it is where it is no address of the web. */
export function samePage(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  for (const name of Array.from(url.searchParams.keys()))
    if (/^(?:utm_\w+|gclid|fbclid)$/.test(name)) url.searchParams.delete(name);
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}
