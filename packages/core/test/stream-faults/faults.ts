import type { ServerResponse } from 'node:http';
import type { UpstreamPhase, UpstreamReason } from '../../src/provider-kit/index.js';

export const MAX_UPSTREAM_BYTES = 65_536;

/** The parts of a recorded stream that may be sent next. */
interface Recording {
  readonly next: string;
  /** An error in the provider's format. */
  readonly error: string;
}

/** A fault after the start of a reply. */
export interface StreamFault {
  readonly play: (res: ServerResponse, recording: Recording) => void;
  /** `of the provider`: the reason of the provider's own error. */
  readonly reason: UpstreamReason | 'of the provider';
  readonly phase: UpstreamPhase;
  /** The phase before any event: a reply without events is read as JSON. Default: the same. */
  readonly phaseWithoutEvents?: UpstreamPhase;
}

const INVALID = 'upstream_invalid_response';
const REPORTED = { reason: 'of the provider', phase: 'shape' } as const;

export const FAULTS: Readonly<Record<string, StreamFault>> = {
  silence: { play: () => undefined, reason: 'upstream_timeout', phase: 'body' },
  'a slow drip': { play: drip, reason: 'upstream_timeout', phase: 'body' },
  'a cut between events': { play: (res) => void res.destroy(), reason: INVALID, phase: 'body' },
  'a cut inside an event': {
    play: (res, { next }) => void res.write(halfOf(next), () => res.destroy()),
    reason: INVALID,
    phase: 'body',
  },
  'a reset': { play: (res) => void res.socket?.resetAndDestroy(), reason: INVALID, phase: 'body' },
  'an end that comes too early': {
    play: (res) => void res.end(),
    reason: INVALID,
    phase: 'body',
    phaseWithoutEvents: 'parse',
  },
  'an end inside an event': {
    play: (res, { next }) => void res.end(halfOf(next)),
    reason: INVALID,
    phase: 'body',
    phaseWithoutEvents: 'parse',
  },
  'an error': { play: (res, { error }) => void res.end(error), ...REPORTED },
  'an error, and silence': { play: (res, { error }) => void res.write(error), ...REPORTED },
  'an error, and more events': { play: (res, { error, next }) => void res.write(error + next), ...REPORTED },
  'an event that is no JSON': {
    play: (res) => void res.write('data: {"choices":\n\n'),
    reason: INVALID,
    phase: 'parse',
  },
  'an event that is no object': { play: (res) => void res.write('data: [1]\n\n'), reason: INVALID, phase: 'parse' },
  'an event of broken characters': {
    play: (res) => void res.write(Buffer.from('data: \xff\xfe\n\n', 'latin1')),
    reason: INVALID,
    phase: 'parse',
  },
  'more than maxUpstreamBytes': {
    play: (res) => void res.write(`: ${'x'.repeat(MAX_UPSTREAM_BYTES)}\n\n`),
    reason: INVALID,
    phase: 'body',
  },
};

/** The reason of each status for all providers, with a meaningless body. */
export const STATUSES: readonly (readonly [number, UpstreamReason])[] = [
  [400, 'upstream_rejected'],
  [401, 'upstream_auth_failed'],
  [402, 'upstream_quota_exhausted'],
  [429, 'upstream_rate_limited'],
  [500, 'upstream_error'],
  [503, 'upstream_error'],
];

function halfOf(event: string): string {
  return event.slice(0, event.length >> 1);
}

/** Sends one comment per turn until the client disconnects. */
function drip(res: ServerResponse): void {
  if (res.destroyed) return;
  res.write(':\n');
  setImmediate(drip, res);
}
