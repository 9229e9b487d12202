import type { OpenApiDocument } from '@searchgate/core/openapi';

/** What stands at a JSON pointer of the document, `undefined` for nothing. */
export function at(document: OpenApiDocument, pointer: string): unknown {
  const names = pointer.split('/').slice(1).map(unescaped);
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

/** Follows `$ref` as long as there is one. @returns where the part really stands, and the part. */
export function resolve<Part>(document: OpenApiDocument, pointer: string): [pointer: string, part: Part] {
  const part = at(document, pointer) as { readonly $ref?: string };
  return part.$ref === undefined ? [pointer, part as Part] : resolve(document, part.$ref.slice(1));
}

/** A name as a JSON pointer has it (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
