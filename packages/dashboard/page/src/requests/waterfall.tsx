import type { LoggedAttempt, RequestWithAttempts } from '../../../src/api/contract.js';
import { milliseconds } from '../format.js';
import { Money } from '../ui/parts.js';
import { failureText, isFailed } from './explain.js';

interface Lane {
  readonly attempt: LoggedAttempt;
  readonly startMs: number;
}

/** In the order of their begins. Where those are not kept, each begins when the one before has ended. */
function lanesOf(attempts: readonly LoggedAttempt[]): readonly Lane[] {
  let endMs = 0;
  const lanes = attempts.map((attempt) => {
    const startMs = attempt.start_ms ?? endMs;
    endMs = startMs + attempt.duration_ms;
    return { attempt, startMs };
  });
  return lanes.sort((a, b) => a.startMs - b.startMs);
}

/** The attempts of a call, on the scale of its time. */
export function Waterfall({ call }: { call: RequestWithAttempts }) {
  const lanes = lanesOf(call.attempts);
  const wholeMs = Math.max(1, call.duration_ms, ...lanes.map(({ attempt, startMs }) => startMs + attempt.duration_ms));
  const first = call.first_part_ms === null ? null : `${(100 * call.first_part_ms) / wholeMs}%`;
  const isGuessed = call.attempts.some(({ start_ms }) => start_ms === undefined);
  return (
    <>
      <ol class="waterfall" aria-label="Attempts, in the order of their begins">
        {lanes.map(({ attempt, startMs }, index) => (
          <li key={index}>
            <LaneHead attempt={attempt} />
            <svg class={`lane ${classOf(attempt)}`} aria-hidden="true">
              <rect class="base" width="100%" height="100%" />
              <rect
                x={`${(100 * startMs) / wholeMs}%`}
                width={`${Math.max(0.5, (100 * attempt.duration_ms) / wholeMs)}%`}
                height="100%"
              />
              {first !== null && <line x1={first} x2={first} y1="0" y2="100%" />}
            </svg>
            <p class="hint">
              {milliseconds(startMs)} – {milliseconds(startMs + attempt.duration_ms)}
              {attempt.outcome !== 'answered' && ` · ${failureText(attempt)}`}
            </p>
          </li>
        ))}
      </ol>
      <p class="hint">
        The whole width is {milliseconds(wholeMs)}
        {call.first_part_ms !== null &&
          `; the line is the first part of the answer, after ${milliseconds(call.first_part_ms)}`}
        .{isGuessed && ' When attempts began was not kept: they are drawn one after the other.'}
      </p>
    </>
  );
}

const classOf = (attempt: LoggedAttempt) =>
  isFailed(attempt) ? 'bad' : attempt.outcome === 'answered' ? 'good' : 'quiet';

function LaneHead({ attempt }: { attempt: LoggedAttempt }) {
  const { model, key, part, outcome, duration_ms, cost } = attempt;
  return (
    <div class="lane-head">
      <span>
        <strong>{model}</strong> {key !== undefined && <small class="hint">key {key}</small>}{' '}
        {part && <small class="hint">part</small>}
      </span>
      <span class={classOf(attempt)}>{isFailed(attempt) ? 'failed' : outcome === 'hedged' ? 'stopped' : outcome}</span>
      <span class="number">
        {milliseconds(duration_ms)} · {cost === null ? 'cost not reported' : <Money amount={cost} />}
      </span>
    </div>
  );
}
