import type { ErrorEnvelope } from '@searchgate/core/extensions';

/** The text of an error with the client's names of fields, because most clients show nothing else. */
export function errorText(
  { reason, message, param, metadata }: ErrorEnvelope['error'],
  nameOf: (field: string) => string,
) {
  // Has the client's names only: one of them may be ours of another field.
  if (reason === 'unsupported_field') return message;
  const { issues = [], options = [] } = (metadata ?? {}) as Faults;
  const ours = new Set([param ?? '', ...issues.map(({ path }) => path), ...options]);
  return [...ours].filter(Boolean).reduce((text, name) => {
    const pattern = new RegExp(`(?<![\\w.])${name.replaceAll(/\W/g, String.raw`\$&`)}(?!\\w|\\.\\w)`, 'g');
    return text.replaceAll(pattern, () => shownName(nameOf(name), name));
  }, message);
}

/** The place of a field in a form, such as `messages.0`, does not tell which field it is. */
function shownName(shown: string, name: string): string {
  return /\.\d+$/.test(shown) && !/\d/.test(name) ? `${shown} (${name})` : shown;
}

interface Faults {
  readonly issues?: readonly { readonly path: string }[];
  readonly options?: readonly string[];
}

/** Gives the client's name of a field or of a part of it. @param names the client's names, by ours. */
export function namesOf(names: ReadonlyMap<string, string>): (field: string) => string {
  return (field) => {
    for (let end = field.length; end > 0; end = field.lastIndexOf('.', end - 1)) {
      const name = names.get(field.slice(0, end));
      if (name !== undefined) return name + field.slice(end);
    }
    return field;
  };
}
