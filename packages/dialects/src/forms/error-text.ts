import type { ErrorEnvelope, ErrorMetadata } from '@searchgate/core/extensions';

/** The text of an error for clients that show nothing else, so it names the wrong fields. @param nameOf gives the client's name of a field. */
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
