import { isEndInOrder } from './finish-words.js';
import { type JsonObject, objectOf, ownChoice } from './reply-fields.js';

/** Whether a field named `error` contains an error: `null`, `""`, `{}`, `[]`, `false`, `0` and an object full of `null` do not. */
export function saysError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Object.values(value).some((field) => field !== null);
}

/** The error that a reply or an event reports, at the top or in its choice. */
export function reportedError(body: unknown): unknown {
  const object = objectOf(body);
  const { choices } = object;
  return errorBeside(object, choices === undefined ? {} : ownChoice(choices));
}

/** Like {@link reportedError}, for a choice that is already known. */
export function errorBeside({ error, errors }: JsonObject, { error: ofChoice }: JsonObject): unknown {
  // Most replies have no error, so absence is checked first.
  if (error !== undefined && saysError(error)) return error;
  if (errors !== undefined && saysError(errors)) return errors;
  return ofChoice !== undefined && saysError(ofChoice) ? ofChoice : undefined;
}

/** Whether a reply reports an error or an unfinished run in another field than its answer: vendors do so with a 200 too. */
export function reportsFailure(json: JsonObject): boolean {
  const { object, type, success, status } = json;
  const isError = (typeof object === 'string' && ERROR.test(object)) || (typeof type === 'string' && ERROR.test(type));
  if (isError || success === false || reportedError(json) !== undefined) return true;
  return status !== undefined && !isEndOfRun(status);
}

const ERROR = /^error/i;

/** Whether a reply's `status`, a word or an HTTP status, means that the run has ended normally. */
function isEndOfRun(status: unknown): boolean {
  if (typeof status === 'number') return status < 400;
  if (typeof status === 'string') return status === '' || /^ok$/i.test(status) || isEndInOrder(status);
  return status !== false;
}
