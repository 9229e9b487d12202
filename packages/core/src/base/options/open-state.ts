import { LedgerError } from '../errors/ledger-error.js';

/** A result, from a synchronous engine, or a promise of the result. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a result: at once, where nothing has to be waited for. A promise takes far longer than its work where there is nothing to wait for. */
export function andThen<T, Result>(
  given: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return given instanceof Promise ? given.then(goOn) : goOn(given);
}

/** The operations of a port as an engine has them: with a result or a promise. */
export type EngineOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => Promise<infer Result>
    ? (...given: Given) => MaybePromise<Result>
    : never;
};

/** Work around every operation of an engine. */
export interface Interceptor {
  /** Called before an operation. Refuses the operation by throwing. */
  check?(): void;
  /** Called with each started operation. @returns its result. */
  during<T>(operation: MaybePromise<T>): MaybePromise<T>;
}

/** Whether a ledger is open, and how many of its operations are running: `close` waits for them. */
export interface OpenState extends Interceptor {
  /** @throws LedgerError `ledger_closed`. */
  check(): void;
  /** Refuses further operations, waits for running operations, then calls `finish`. A second call waits for the first. */
  close(finish: () => MaybePromise<void>): Promise<void>;
}

export function createOpenState(): OpenState {
  let running = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  function ended(): void {
    running -= 1;
    if (running === 0) onIdle?.();
  }

  async function finishWhenIdle(finish: () => MaybePromise<void>): Promise<void> {
    if (running > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await finish();
  }

  return {
    check() {
      if (closing !== undefined) throw new LedgerError('ledger_closed', 'the ledger has been closed');
    },
    during(operation) {
      // A counter instead of a set of promises, because every hold runs this code.
      if (operation instanceof Promise) {
        running += 1;
        operation.then(ended, ended);
      }
      return operation;
    },
    close(finish) {
      closing ??= finishWhenIdle(finish);
      return closing;
    },
  };
}

/** What checks the arguments of each operation: throws, or returns the arguments for the engine where they differ from the given arguments. */
export type ArgumentChecks<Port, Engine> = {
  readonly [Name in keyof Port & keyof Engine]: Port[Name] extends (...values: infer Given) => unknown
    ? Engine[Name] extends (...values: infer Taken) => unknown
      ? (...values: Given) => Readonly<Taken> | void
      : never
    : never;
};

type Operation<Result> = (...values: readonly unknown[]) => Result;

/** What operations that may return at once do, without the promise around them. */
const IMMEDIATE = new WeakMap<WeakKey, unknown>();

/** An operation with a promise, whose {@link immediateOf} is `start`. */
export function withImmediate<Given extends unknown[], Result>(
  start: (...given: Given) => MaybePromise<Result>,
): (...given: Given) => Promise<Result> {
  const operation = async (...given: Given) => start(...given);
  IMMEDIATE.set(operation, start);
  return operation;
}

/**
 * What an operation does where it may return or throw at once; `undefined` for one that has to be waited for. Known by the function itself, not by a mark
 * beside it: a host that puts its own function in the place of an operation is asked by its own.
 */
export function immediateOf<Given extends unknown[], Result>(
  operation: (...given: Given) => Promise<Result>,
): ((...given: Given) => MaybePromise<Result>) | undefined {
  return IMMEDIATE.get(operation) as ((...given: Given) => MaybePromise<Result>) | undefined;
}

/**
 * The one wrapper around ledgers, key registries and idempotency stores: each operation passes an interceptor, with or without a check of its arguments. An error that
 * a check, the interceptor or the operation throws becomes a rejection. Default interceptor: a state of its own, which is open.
 */
export function wrapOperations<Port>(
  engine: object,
  names: readonly (string & keyof Port)[],
  options: {
    readonly interceptor?: Interceptor | undefined;
    readonly checks?: object;
    /** Whether the engine returns no promises: see {@link immediateOf}. */
    readonly isImmediate?: boolean | undefined;
  },
): Port {
  const { interceptor = createOpenState(), checks = {}, isImmediate = false } = options;
  const operations = engine as Readonly<Record<keyof Port, Operation<MaybePromise<unknown>>>>;
  const checkOf = checks as { readonly [Name in keyof Port]?: Operation<readonly unknown[] | void> };
  const wrapped = names.map((name) => {
    const check = checkOf[name];
    const start = (...values: unknown[]) => {
      interceptor.check?.();
      return interceptor.during(operations[name](...(check?.(...values) ?? values)));
    };
    return [name, isImmediate ? withImmediate(start) : async (...values: unknown[]) => start(...values)] as const;
  });
  return Object.fromEntries(wrapped) as Port;
}
