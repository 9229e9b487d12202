import type { Form } from '../forms/form.js';

/** Errors and keys of Exa's form. exa-js shows `error`. */
export const EXA_ERRORS: Pick<Form<never>, 'error' | 'keyHeader'> = {
  keyHeader: 'x-api-key',
  error: (text, { reason, request_id }) => ({ error: text, tag: reason.toUpperCase(), requestId: request_id }),
};
