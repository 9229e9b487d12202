import assert from 'node:assert/strict';
import { type AnswerOutcome, isUpstreamError, type Provider } from '@searchgate/core/provider-kit';
import { assertAnswered, checkAnswer } from './check-outcome.js';
import { eventsOf, handLive, hasStream, streaming, wordsOf } from './live-run.js';
import { isStream } from './mutations.js';
import { type AnswerFixture, bodyOf } from './provider-fixture.js';
import { ask, type Ending, hand } from './scene.js';

/** The evidence that a provider's reply is complete: a reply without it may have been cut. */
export interface ReplyEvidence {
  /**
   * The field of a plain JSON reply that says how it ended, such as `choices.0.finish_reason`; several fields for several forms of reply.
   * `'valid JSON'` without such a field: then the last bracket is the evidence.
   */
  readonly reply: 'valid JSON' | readonly string[];
  /**
   * Texts in the event that proves a stream complete; several if several events are needed. Include `'clean end'` if the vendor has no last event: then
   * only an orderly end without cut or stall counts.
   */
  readonly stream?: readonly string[] | undefined;
}

/** A reply without its field of evidence is not an answer. */
export async function checkReplyEvidence(provider: Provider, fixture: AnswerFixture, paths: readonly string[]) {
  const known = paths.filter((path) => valueAt(fixture.reply, path) !== undefined);
  assert.ok(known.length > 0, `the reply has one of these fields: ${paths.join(', ')}`);
  for (const path of known) {
    for (const value of [undefined, null]) {
      const ending = await hand(provider, fixture, JSON.stringify(changedAt(fixture.reply, path.split('.'), value)));
      assertCut(ending, `a reply without ${path} must fail: ${wordsOf(ending)}`);
    }
  }
}

function valueAt(reply: unknown, path: string): unknown {
  return path.split('.').reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], reply);
}

function changedAt(reply: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const inner = (reply as Record<string, unknown>)[key];
  const changed = rest.length === 0 ? value : changedAt(inner, rest, value);
  if (Array.isArray(reply)) return reply.with(Number(key), changed);
  return { ...(reply as object), [key]: changed };
}

/** A stream is an answer only after its evidence; a cut anywhere before is a failure. */
export async function checkStreamEvidence(provider: Provider, fixture: AnswerFixture, evidence: readonly string[]) {
  const isLive = hasStream(fixture);
  const body = isLive ? fixture.stream.body : bodyOf(fixture);
  const events = eventsOf(body);
  const words = evidence.filter((word) => word !== CLEAN_END);
  const places = words.map((word) => events.findLastIndex((event) => event.includes(word)));
  assert.ok(words.length > 0 && !places.includes(-1), `the stream has these words: ${words.join(', ')}`);

  async function endingOf(pieces: readonly string[], end: 'closed' | 'cut'): Promise<Ending> {
    if (isLive) return (await handLive(provider, { ...fixture, end }, pieces)).ending;
    const { headers = {}, model } = fixture;
    const upstream = streaming({ header: (name) => headers[name], pieces, end });
    return ask(provider, { model }, { upstream, signal: new AbortController().signal });
  }

  for (let count = 1; count <= events.length; count += 1) {
    for (const end of ['closed', 'cut'] as const) {
      const ending = await endingOf(events.slice(0, count), end);
      const isWhole = count > Math.max(...places) && !(end === 'cut' && evidence.includes(CLEAN_END));
      const where = `${end} behind event ${count} of ${events.length}: ${wordsOf(ending)}`;
      if (!isWhole) assertCut(ending, where);
      else if (isUpstreamError(ending)) assert.fail(where);
      else {
        assertAnswered(ending);
        checkAnswer(sameCall(ending, fixture), fixture.answer);
      }
    }
  }
  const [word = ''] = words;
  const without = [...events.filter((event) => !event.includes(word)), 'data: [DONE]\n\n'];
  const ending = await endingOf(without, 'closed');
  assertCut(ending, `a stream without ${word} is no answer, whatever its last word: ${wordsOf(ending)}`);
}

const CLEAN_END = 'clean end';

/** Ids in a stream may differ from those of the plain reply. */
function sameCall(ending: AnswerOutcome, { answer }: AnswerFixture): AnswerOutcome {
  const { upstreamRequestId, servedModel } = answer;
  return { ...ending, upstreamRequestId, servedModel };
}

function assertCut(ending: Ending, message: string): void {
  assert.ok(isUpstreamError(ending) && ending.reason === 'upstream_invalid_response', message);
}

/** Whether a fixture's reply is a stream of events, not plain JSON. */
export function comesAsStream(fixture: AnswerFixture): boolean {
  return hasStream(fixture) || isStream(fixture.reply);
}
