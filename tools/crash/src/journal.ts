import type { AcknowledgedAnswer, Call, Outcome } from './ask.js';

/** What the callers of a scenario have seen. */
export interface Journal {
  readonly calls: number;
  readonly acknowledged: readonly AcknowledgedAnswer[];
  readonly lost: readonly Call[];
  /** How often each refusal was seen: `402 key_limit_reached`. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Records the outcome of a call, before the scenario acts on it. */
  record(call: Call, outcome: Outcome): Outcome;
}

export function createJournal(): Journal {
  const acknowledged: AcknowledgedAnswer[] = [];
  const lost: Call[] = [];
  const refusals = new Map<string, number>();
  let calls = 0;

  return {
    get calls() {
      return calls;
    },
    acknowledged,
    lost,
    refusals,
    record(call, outcome) {
      calls += 1;
      if (outcome.status === 'answered') acknowledged.push(outcome.answer);
      else if (outcome.status === 'lost') lost.push(call);
      else {
        const refusal = `${outcome.code} ${outcome.reason}`;
        refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      }
      return outcome;
    },
  };
}
