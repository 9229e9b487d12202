import {
  type CallBodies,
  type Dialect,
  type ErrorEnvelope,
  type JsonObject,
  type NamedModel,
  type PresentError,
  replyBody,
  type WireFormat,
} from '@searchgate/core/extensions';
import { invalidField, own } from '../openai/read-messages.js';
import { describeForm, type FormDescription } from './describe-form.js';
import { errorText, namesOf } from './error-text.js';

/**
 * Where a field of the form goes, and how its value is written there; `undefined` for a value that asks for nothing. Default: unchanged.
 * `inside` is the place of the value itself, for errors.
 */
type Row = string | readonly [to: string, read: (value: unknown, name: string) => unknown, inside?: string];

/** What becomes of each field of a request. */
interface FormFields {
  /** By field: the field of our own path that does the same, such as `search.country`. */
  readonly rows: Readonly<Record<string, Row>>;
  /** Fields that are read by hand. */
  readonly read?: readonly string[] | undefined;
  /** Fields that change no reply. */
  readonly ignored: readonly string[];
  /** Fields that are refused. */
  readonly refused: readonly string[];
}

/** A path of another service whose requests are answered whole. */
export interface Form<Category extends keyof CallBodies>
  extends Pick<Dialect, 'name' | 'path' | 'keyPath' | 'keyHeader' | 'isQuery'> {
  readonly category: Category;
  /** The model, alias or group that is called. */
  readonly model: string;
  /** What the clients always ask of it. Default: nothing but the call. */
  readonly features?: readonly string[] | undefined;
  /** Of calls of other kinds. Default: none. */
  readonly otherModels?: readonly NamedModel[] | undefined;
  readonly fields: FormFields;
  /** Adds to the fields that were translated, or calls another kind. Default: nothing. @throws RequestError */
  readonly adapt?: ((body: JsonObject, fields: JsonObject) => Adapted) | undefined;
  /** The body of a whole reply. */
  readonly write?: ((reply: Replied<Category>) => object) | undefined;
  /** In place of `write`, for replies that may be streamed. */
  readonly format?: ((body: JsonObject) => WireFormat) | undefined;
  readonly error: PresentForm;
  readonly about: FormDescription;
}

interface Adapted {
  readonly fields: JsonObject;
  /** Where the call is of another kind than the form's. */
  readonly as?: {
    readonly [C in keyof CallBodies]: { readonly category: C; write(reply: Replied<C>): object };
  }[keyof CallBodies];
}

/** A reply, and the request that it answers. */
export interface Replied<Category extends keyof CallBodies> {
  readonly body: JsonObject;
  readonly reply: CallBodies[Category];
  /** Since the request was read. */
  readonly elapsedMs: number;
}

/** Writes the body of an error with the service's field for its text. */
type PresentForm = (text: string, error: ErrorEnvelope['error']) => ReturnType<PresentError>;

/** Makes the dialect of a path. */
export function formDialect<Category extends keyof CallBodies>(form: Form<Category>): Dialect {
  const { name, path, keyPath, keyHeader, isQuery, category, model, features, otherModels = [], fields } = form;
  const { rows, read = [], ignored, refused } = fields;
  const names = Object.entries(rows).flatMap(([field, row]) => targetsOf(row).map((to) => [to, field] as const));
  const nameOf = namesOf(new Map(names));
  return {
    name,
    path,
    keyPath,
    keyHeader,
    isQuery,
    models: [{ option: category, model, category, features }, ...otherModels],
    kind: category,
    fields: {
      read: [...Object.keys(rows), ...read],
      ignored,
      refused: Object.fromEntries(refused.map((field) => [field, null])),
    },
    nameOf,
    read(body, clock) {
      const startMs = clock.now();
      const given = { model, ...translated(body, rows) };
      const { fields: asked, as } = form.adapt?.(body, given) ?? { fields: given };
      if (form.format !== undefined) return { fields: asked, format: form.format(body) };
      const write = (as?.write ?? form.write) as (reply: Replied<keyof CallBodies>) => object;
      return {
        category: as?.category ?? category,
        fields: asked,
        format: {
          body: (reply) =>
            JSON.stringify(write({ body, reply: replyBody(reply) as never, elapsedMs: clock.now() - startMs })),
        },
      };
    },
    presentError: ({ error }) => form.error(errorText(error, nameOf), error),
    describe: () => describeForm(form.about, { name, fields: [...Object.keys(rows), ...read] }),
  };
}

function targetsOf(row: Row): readonly string[] {
  return typeof row === 'string' ? [row] : row.filter((part) => typeof part === 'string');
}

/** The fields of our own path, nested where the name of a target has a dot. */
function translated(body: JsonObject, rows: FormFields['rows']): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(rows)) {
    const given = own(body, name) ?? undefined;
    const value = given === undefined || typeof row === 'string' ? given : row[1](given, name);
    if (value === undefined || isEmptyList(value)) continue;
    const [outer = '', inner] = targetsOf(row)[0]?.split('.') ?? [];
    const nested = fields[outer] as JsonObject | undefined;
    if (inner === undefined) fields[outer] = value;
    else if ((nested?.[inner] ?? value) !== value) throw invalidField(name, 'says something else than another field');
    else fields[outer] = { ...nested, [inner]: value };
  }
  return fields;
}

/** Clients send lists that they do not use. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
