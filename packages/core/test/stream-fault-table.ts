import type { ServerResponse } from 'node:http';
import type { UpstreamPhase, UpstreamReason } from '../src/provider-kit/index.js';

export const MAX_UPSTREAM_BYTES = 65_536;

/** An upstream's reply under way, and the moment when the caller has got a part of it. */
export interface Upstream {
  readonly res: ServerResponse;
  readonly delivered: Promise<void>;
}

export const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
export const SOURCES = event({
  citations: [{ id: 'https://example.org/b', url: 'https://example.org/b', title: 'B' }],
});
export const TEXT = event({ choices: [{ index: 0, delta: { content: 'It opened in' } }] });
const ERROR_EVENT = 'event: error\ndata: {"error":{"message":"The model is overloaded."}}\n\n';
const HALF_AN_EVENT = 'data: {"choices":[{"index":0,"delta":{"con';

/** What can go wrong once the reply has begun, whatever has come of it. */
export const FAULTS: Readonly<
  Record<string, { play(res: ServerResponse): void; reason: UpstreamReason; phase: UpstreamPhase }>
> = {
  silence: { play: () => undefined, reason: 'upstream_timeout', phase: 'body' },
  'a slow drip': { play: drip, reason: 'upstream_timeout', phase: 'body' },
  'a cut between events': { play: cut, reason: 'upstream_invalid_response', phase: 'body' },
  'a cut inside an event': {
    play: (res) => void res.write(HALF_AN_EVENT, () => cut(res)),
    reason: 'upstream_invalid_response',
    phase: 'body',
  },
  'a reset': {
    play: (res) => void res.socket?.resetAndDestroy(),
    reason: 'upstream_invalid_response',
    phase: 'body',
  },
  'an end that comes too early': { play: (res) => void res.end(), reason: 'upstream_invalid_response', phase: 'body' },
  'an error event': {
    play: (res) => void res.end(ERROR_EVENT),
    reason: 'upstream_invalid_response',
    phase: 'shape',
  },
  'an event that is no JSON': {
    play: (res) => void res.write('data: {"choices":\n\n'),
    reason: 'upstream_invalid_response',
    phase: 'parse',
  },
  'an event that is no object': {
    play: (res) => void res.write('data: [1]\n\n'),
    reason: 'upstream_invalid_response',
    phase: 'parse',
  },
  'more than maxUpstreamBytes': {
    play: (res) => void res.write(`: ${'x'.repeat(MAX_UPSTREAM_BYTES)}\n\n`),
    reason: 'upstream_invalid_response',
    phase: 'body',
  },
};

export const STATUSES: readonly (readonly [number, UpstreamReason])[] = [
  [400, 'upstream_rejected'],
  [401, 'upstream_auth_failed'],
  [402, 'upstream_quota_exhausted'],
  [429, 'upstream_rate_limited'],
  [500, 'upstream_error'],
  [503, 'upstream_error'],
];

function cut(res: ServerResponse): void {
  res.destroy();
}

/** One comment a turn, for as long as someone listens. */
function drip(res: ServerResponse): void {
  if (res.destroyed) return;
  res.write(':\n');
  setImmediate(drip, res);
}
