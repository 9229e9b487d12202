import { CLOCK_OFFSET } from './worker-options.js';

// Loaded before a worker: shifts the time of the whole process, like a wrong clock. Timers are not affected.
const offsetMs = Number(process.env[CLOCK_OFFSET]);
if (!Number.isSafeInteger(offsetMs)) throw new Error(`${CLOCK_OFFSET} is not a number of milliseconds`);

const RealDate = Date;
const skewedNow = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: unknown[], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [skewedNow()] : values, newTarget) as object,
  apply: () => new RealDate(skewedNow()).toString(),
  get: (target, name, receiver) => (name === 'now' ? skewedNow : (Reflect.get(target, name, receiver) as unknown)),
});
