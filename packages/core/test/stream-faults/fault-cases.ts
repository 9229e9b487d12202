import type { ServerResponse } from 'node:http';
import { parseUsd } from '../../src/index.js';
import type { UpstreamPhase, UpstreamReason } from '../../src/provider-kit/index.js';
import { eventsOf, type RecordedStream } from '../recorded-streams.js';
import { FAULTS, type StreamFault } from './faults.js';
import { begin, type Scene } from './stage.js';

/** A fault at one position of a provider's stream. */
export interface FaultCase {
  readonly title: string;
  readonly scene: Omit<Scene, 'hasFallback'>;
  readonly failure: Failure;
}

/** The expected result of a fault. */
export interface Failure {
  readonly reason: UpstreamReason;
  readonly phase: UpstreamPhase;
  /** The amount that the operator may owe for the call. */
  readonly loss: bigint;
}

interface Place {
  readonly name: string;
  /** The recorded events before the fault. */
  readonly sent: readonly string[];
  /** The event after the fault. */
  readonly next: string;
  readonly isDelivered: boolean;
}

/**
 * Every fault at every position before and after the caller's first text. `latest` has the faults right before the first text, when the provider
 * has handed over everything that precedes it.
 */
export function faultCases(stream: RecordedStream) {
  const casesAt = (place: Place) => Object.entries(FAULTS).map((fault) => caseOf(stream, place, fault));
  const places = placesIn(stream);
  const early = places.filter(({ isDelivered }) => !isDelivered);
  return {
    early: early.flatMap(casesAt),
    latest: early.slice(-1).flatMap(casesAt),
    late: places.filter(({ isDelivered }) => isDelivered).flatMap(casesAt),
  };
}

function placesIn(stream: RecordedStream): Place[] {
  const events = eventsOf(stream);
  const placeAt = (name: string, count: number, isDelivered: boolean) => {
    return { name, sent: events.slice(0, count), next: events[count] ?? '', isDelivered };
  };
  const { opening } = stream;
  return [
    placeAt('behind the head', 0, false),
    // Some streams have text in their first event: they have no such position.
    ...(opening > 1 ? [placeAt('in front of the first text', opening - 1, false)] : []),
    placeAt('behind the first text', opening, true),
  ];
}

function caseOf(stream: RecordedStream, place: Place, [name, fault]: readonly [string, StreamFault]): FaultCase {
  const failure = failureOf(stream, place, fault);
  const play = async (res: ServerResponse, delivered: Promise<void>) => {
    await begin(res, place.sent);
    if (place.isDelivered) await delivered;
    fault.play(res, { next: place.next, error: stream.error.event });
  };
  const timesOut = failure.reason === 'upstream_timeout';
  return { title: `${name} ${place.name}`, scene: { stream, play, timesOut }, failure };
}

function failureOf({ error, listPrice }: RecordedStream, { sent, isDelivered }: Place, fault: StreamFault): Failure {
  const { reason, cost } = fault.reason === 'of the provider' ? error : { reason: fault.reason };
  const hasEvents = sent.some((event) => event.includes('data:'));
  const isOwed = isDelivered || reason === 'upstream_timeout';
  return {
    reason,
    phase: hasEvents ? fault.phase : (fault.phaseWithoutEvents ?? fault.phase),
    loss: parseUsd(cost ?? (isOwed ? listPrice : '0')),
  };
}
