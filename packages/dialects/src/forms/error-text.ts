import type { ErrorEnvelope, ErrorMetadata } from '@searchgate/core/extensions';

/**
 * The text of an error for clients that show nothing else, so it names the wrong fields.
 *
 * @param nameOf gives the client's name of a field. Default: unchanged.
 */
export function errorText({ message, param, reason, metadata }: ErrorEnvelope['error'], nameOf = same): string {
  const issues = reason === 'invalid_field' ? (metadata as ErrorMetadata['invalid_field'] | null)?.issues : undefined;
  const parts =
    issues?.map(({ path, message: fault }) => `${nameOf(path)} ${fault}`) ?? (param === null ? [] : [nameOf(param)]);
  return [message, ...parts.filter((part) => !message.includes(part)).map(ended)].join(' ');
}

function same(field: string): string {
  return field;
}

function ended(part: string): string {
  return /[.?]$/.test(part) ? part : `${part}.`;
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
