const END = String.raw`[^\s<>"'\x60()[\]{}|,]`;
const NAME = String.raw`[^\s<>"'\x60()[\]{}|,\\/:?#]*[\p{L}\p{N}]\.[\p{L}\p{N}]`;
const FORMS = [
  String.raw`(?<![/=?&])(?:https?|ftp):[\\/]{2,}(?<rest>${END}*)`,
  String.raw`(?<![/=?&])https?:[\\/]?(?<rest>${NAME}${END}*)`,
  String.raw`(?<=^|[\s(>[])(?<rest>www\.${NAME}${END}*)`,
  String.raw`\]\(\s*<?[\\/]{2,}(?<rest>${NAME}${END}*)`,
].map((form) => new RegExp(form, 'giu'));

/** The addresses that a reader of Markdown, HTML or plain text may find in a text. Written without the code that is tested. */
export function addressesIn(text: string): string[] {
  return FORMS.flatMap((form) => [...text.matchAll(form)]).flatMap(({ groups }) => {
    const [authority = ''] = /^[^\\/?#]*/.exec(groups?.['rest'] ?? '') ?? [];
    const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/[.:!?*_~…]+$|:\d+$/, '');
    // A scheme begins another address. What has other signs, tables test.
    return /[\p{L}\p{N}]/u.test(host) &&
      /^[\p{L}\p{N}%-][\p{L}\p{N}%._-]*$/u.test(host) &&
      !/(?:https?|ftp)$|^www$/i.test(host)
      ? [`https://${host}`]
      : [];
  });
}
