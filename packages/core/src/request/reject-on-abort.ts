import { RequestError } from '../base/errors/request-error.js';

/** Checks the shape, not the class: test environments and polyfills have other classes. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  return typeof (value as Partial<AbortSignal> | null | undefined)?.addEventListener === 'function';
}

/** Settles like the call, or rejects with `client_closed_request` as soon as the signal is aborted. The call itself runs on. */
export function rejectOnAbort<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(new RequestError('client_closed_request'));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    const stopListening = () => {
      signal.removeEventListener('abort', onAbort);
    };
    call.finally(stopListening).then(resolve, reject);
  });
}
