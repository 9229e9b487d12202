/** Points to a part of the document that has a name. */
export function refTo(kind: 'schemas' | 'headers' | 'parameters', name: string): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}
