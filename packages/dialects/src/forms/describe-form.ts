import type { DialectDescription } from '@searchgate/core/extensions';

/** A form in the OpenAPI document. */
export interface FormDescription {
  readonly summary: string;
  /** The required fields of a reply. */
  readonly reply: readonly string[];
  /** What the events of a stream are. Default: no stream. */
  readonly event?: string | undefined;
}

/** Describes the names of fields alone: the services document the rest. */
export function describeForm(
  { summary, reply, event }: FormDescription,
  { name, fields }: { readonly name: string; readonly fields: readonly string[] },
): DialectDescription {
  const operationId = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const title = operationId.replace(/^./, (letter) => letter.toUpperCase());
  return {
    operationId,
    summary,
    description: 'Fields that change nothing here are ignored, fields that cannot be honored are refused.',
    schemas: {
      [`${title}Request`]: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, {}])) },
      [title]: { type: 'object', required: reply },
      ...(event !== undefined && { [`${title}Event`]: { description: event, type: 'object' } }),
    },
    request: `${title}Request`,
    answer: title,
    event: event === undefined ? undefined : `${title}Event`,
    errorBody: () => ({ type: 'object' }),
  };
}
