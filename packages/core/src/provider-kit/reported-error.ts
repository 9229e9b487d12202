import { isEndInOrder } from './finish-words.js';
import { type JsonObject, objectOf, ownChoice } from './json-values.js';

/** Whether a field named `error` tells of one: `null`, `""`, `{}`, `[]`, `false` and `0` do not. */
export function saysError(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** The error that a reply or an event reports beside whatever else it says: of the whole, or of its choice. */
export function reportedError(body: unknown): unknown {
  const object = objectOf(body);
  const { choices } = object;
  return errorBeside(object, choices === undefined ? {} : ownChoice(choices));
}

/** The same, where the choice is at hand. */
export function errorBeside({ error, errors }: JsonObject, { error: ofChoice }: JsonObject): unknown {
  // Most replies have none.
  if (error !== undefined && saysError(error)) return error;
  if (errors !== undefined && saysError(errors)) return errors;
  return ofChoice !== undefined && saysError(ofChoice) ? ofChoice : undefined;
}

/** Whether a reply with an answer says elsewhere that it is none: vendors report errors, and runs that have not ended, with a 200 too. */
export function reportsFailure(json: JsonObject): boolean {
  const { object, type, success, status } = json;
  const isError = (typeof object === 'string' && ERROR.test(object)) || (typeof type === 'string' && ERROR.test(type));
  if (isError || success === false || reportedError(json) !== undefined) return true;
  return status !== undefined && !isEndOfRun(status);
}

const ERROR = /^error/i;

/** Of a `status` beside an answer. It may also be one of HTTP. */
function isEndOfRun(status: unknown): boolean {
  if (typeof status === 'number') return status < 400;
  if (typeof status === 'string') return status === '' || /^ok$/i.test(status) || isEndInOrder(status);
  return status !== false;
}
