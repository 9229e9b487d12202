import { isDeepStrictEqual } from 'node:util';

/** The fields that differ from the wanted values. Unnamed fields stay unchanged; a missing field counts as `null`. */
export function changedFields<T extends object, Name extends keyof T>(
  names: readonly Name[],
  wanted: { readonly [N in Name]?: T[N] | undefined },
  found: T,
): { [N in Name]?: T[N] } {
  const changed = names.filter(
    (name) => wanted[name] !== undefined && !isDeepStrictEqual(wanted[name], found[name] ?? null),
  );
  return Object.fromEntries(changed.map((name) => [name, wanted[name]])) as { [N in Name]?: T[N] };
}
