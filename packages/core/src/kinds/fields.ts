import { z } from 'zod';
import type { FieldIssue } from '../base/errors/error-details.js';
import { RequestError } from '../base/errors/request-error.js';
import { hasMoreCharacters, isStorable, isVisible } from '../base/options/characters.js';
import { isTag, MAX_TAG_CHARACTERS, TAG, TAG_PATTERN } from '../base/options/tag.js';
import type { FieldsForm } from './kind.js';

// Fields of requests that several kinds have.

const MAX_MODEL_CHARACTERS = 256;
/** Such a text cannot be sent to a provider, or some readers of the answer refuse it. */
export const NOT_READABLE = 'must have no NUL character and no half of a surrogate pair';

/** The default limit of a query's length. */
export const MAX_QUERY_CHARACTERS = 8_000;

/** The field `model` of a path. @param example a slug of the category. */
export function modelField(category: string, example: string) {
  return z
    .string(mustBe(`a string such as "${example}"`))
    .min(1, 'must not be empty')
    .refine(
      (model) => !hasMoreCharacters(model, MAX_MODEL_CHARACTERS),
      `must have at most ${MAX_MODEL_CHARACTERS} characters`,
    )
    .refine(isStorable, NOT_READABLE)
    .meta({
      description: `A model of category \`${category}\`, an alias or a group.`,
      maxLength: MAX_MODEL_CHARACTERS,
    });
}

/** The field `query` of a path. */
export function queryField(maxQueryCharacters: number) {
  return z
    .string(mustBe('a string'))
    .superRefine((query, context) => {
      const trimmed = query.trim();
      if (!isVisible(query)) context.addIssue('must not be empty');
      if (!isStorable(query)) context.addIssue(NOT_READABLE);
      if (hasMoreCharacters(trimmed, maxQueryCharacters))
        context.addIssue(`must have at most ${maxQueryCharacters} characters`);
    })
    .meta({
      description: `The question. At most ${maxQueryCharacters.toLocaleString('en-US')} characters, without white space around it.`,
      minLength: 1,
      pattern: String.raw`\S`,
    });
}

/** A whole number that may be left out. @param most default: any. */
export function countField(least = 1, most?: number) {
  const [from, to] = [least, most].map((bound) => bound?.toLocaleString('en-US'));
  if (most === undefined) return z.int(mustBe('a whole number')).min(least, `must be at least ${from}`).nullish();
  const bounded = z.int(mustBe(`a whole number from ${from} to ${to}`)).min(least, `must be at least ${from}`);
  return bounded.max(most, `must be at most ${to}`).nullish();
}

/** Whether something is wanted; by default it is not. */
export function switchField() {
  return z
    .boolean(mustBe('true or false'))
    .nullish()
    .transform((value) => value === true);
}

/** The field `tag` of a path. */
export function tagField() {
  return z
    .string(mustBe('a string'))
    .refine(isTag, `must be ${TAG}`)
    .nullish()
    .transform((tag) => tag ?? undefined)
    .meta({
      description: `The caller's own word for what the call is for, such as a team: usage is summed up by it. ${TAG}.`,
      minLength: 1,
      maxLength: MAX_TAG_CHARACTERS,
      pattern: TAG_PATTERN,
    });
}

/** A text of a list, for the description of the API. */
export const TEXT = { type: 'string', minLength: 1, pattern: String.raw`\S` };
/** Most wrong texts that are named. */
const MAX_NAMED = 10;

interface TextList {
  readonly most: number;
  /** @returns the problem of a value that is no text. */
  readonly read: (value: unknown) => string | { readonly problem: string };
}

/** Checks a list of texts. */
export function textsOf(given: unknown, context: z.RefinementCtx, { most, read }: TextList): readonly string[] {
  const isList = Array.isArray(given) && given.length > 0 && given.length <= most;
  if (!isList) context.addIssue(`${given == null ? 'is required:' : 'must be'} an array of 1 to ${most} texts`);
  const texts: string[] = [];
  for (const [at, value] of (isList ? (given as unknown[]) : []).entries()) {
    const text = read(value);
    if (typeof text === 'string') texts.push(text);
    else context.addIssue({ code: 'custom', path: [at], message: text.problem });
    if (at + 1 - texts.length === MAX_NAMED) break;
  }
  return texts;
}

export function readableText(text: string): string | { readonly problem: string } {
  if (!isVisible(text)) return { problem: 'must not be empty' };
  return isStorable(text) ? text : { problem: NOT_READABLE };
}

export function mustBe(expected: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? `is required: ${expected}` : `must be ${expected}`,
  };
}

export function issuesOf({ issues }: z.ZodError, nameOf: (field: string) => string): FieldIssue[] {
  return issues.map(({ path, message }) => ({ path: nameOf(path.join('.')), message }));
}

/** @param issues at least one issue. */
export function invalidFields(issues: readonly FieldIssue[]): RequestError {
  return new RequestError('invalid_field', { param: issues[0]?.path ?? '', details: { issues } });
}

/** @throws RequestError `request_too_large`. */
export function checkLength(
  texts: readonly string[],
  { maxInputCharacters }: Pick<FieldsForm, 'maxInputCharacters'>,
): void {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > maxInputCharacters && hasMoreCharacters(texts.join(''), maxInputCharacters))
    throw new RequestError('request_too_large', { details: { maxInputCharacters } });
}
