import { z } from 'zod';
import type { PartFields, PartKind } from '../provider-kit/provider.js';
import type { FieldsForm } from './kind.js';
import type { KindCall } from './kind-call.js';
import { KINDS } from './kinds.js';
import { publicAddress } from './public-address.js';

/** Limits for callers do not apply: the host chose what a part is asked. */
const FORM: FieldsForm = {
  nameOf: (field) => field,
  maxQueryCharacters: Number.MAX_SAFE_INTEGER,
  maxInputCharacters: Number.MAX_SAFE_INTEGER,
};

/** The checks of fields, made when they are first needed. */
const checks = new Map<PartKind, z.ZodType>();

/**
 * The call of a part of an answer.
 *
 * @returns `null` where nothing is left to ask for.
 * @throws Error for fields that the adapter has made wrong.
 */
export function partCall<Kind extends PartKind>(kind: Kind, model: string, given: PartFields[Kind]): KindCall | null {
  const { request } = KINDS[kind];
  const check = checks.get(kind) ?? z.compile(request.fields(FORM.maxQueryCharacters));
  checks.set(kind, check);
  const { urls } = given as Partial<PartFields['extract']>;
  const named = urls?.filter((url) => 'url' in publicAddress(url));
  if (named?.length === 0) return null;
  const fields = check.parse({ ...given, ...(named && { urls: named }), model });
  return request.callOf(fields as Parameters<typeof request.callOf>[0], FORM);
}
