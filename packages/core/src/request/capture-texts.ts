import { firstCharacters, hasMoreCharacters, wellFormed } from '../base/options/characters.js';
import { createOwnedEntries } from '../base/owned-entries.js';
import type { KindCall } from '../kinds/kind-call.js';
import { bytesOfTexts, type CapturedTexts } from '../ledger/request-texts.js';
import { type Answer, type AnswerReply, bodyOf } from './answer-reply.js';
import type { AuthenticatedCall } from './handle-request-lifecycle.js';

/** Whose questions and answers are kept, and how much of each. */
interface CaptureConfig {
  readonly organizations: 'all' | readonly string[];
  /** Of a question, and of an answer. */
  readonly maxCharacters: number;
}

interface CallTexts {
  readonly call: KindCall;
  readonly tag?: string | undefined;
}

/** Keeps the texts of calls until they have ended. No event has them. */
export type Capture = ReturnType<typeof createCapture>;

/** Of calls under way. Beyond it the organization with the most loses its oldest. */
const MAX_BYTES = 33_554_432;

export function createCapture({ organizations, maxCharacters }: CaptureConfig) {
  const wanted = organizations === 'all' ? null : new Set(organizations);
  const underWay = createOwnedEntries<CapturedTexts>({ maxBytes: MAX_BYTES });
  let lost = 0;

  function keep({ apiKey, context }: AuthenticatedCall, texts: CapturedTexts): void {
    underWay.delete(context.requestId);
    const before = underWay.size;
    underWay.set(context.requestId, texts, { owner: apiKey.organizationId, bytes: bytesOfTexts(texts) });
    lost += before + 1 - underWay.size;
  }

  return {
    /** Keeps the question of a call of one of the organizations. */
    asked(state: AuthenticatedCall, { call, tag }: CallTexts): void {
      if (wanted?.has(state.apiKey.organizationId) === false) return;
      const { text, isCut } = bounded(call.askedTexts(), maxCharacters);
      keep(state, { tag: tag ?? null, question: text, answer: null, isCut });
    },
    /** Keeps the answer, where the question was. */
    answered(state: AuthenticatedCall, { kind }: KindCall, reply: AnswerReply): void {
      const known = underWay.peek(state.context.requestId);
      if (known === undefined || kind.category === 'embedding') return;
      const { text, isCut } = bounded(textsOf(reply, kind.category === 'answer', maxCharacters), maxCharacters);
      keep(state, { ...known, answer: text, isCut: known.isCut || isCut });
    },
    /** Hands the texts of a call over; `undefined` where none are kept. */
    take(requestId: string): CapturedTexts | undefined {
      const texts = underWay.peek(requestId);
      underWay.delete(requestId);
      return texts;
    },
    /** How many texts were lost since the last look, because memory was short. */
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

/** The text of an answer; else the entries of the lists of a reply, of whose long texts the beginnings are enough. */
function* textsOf(reply: AnswerReply, isAnswer: boolean, most: number): Generator<string> {
  const fields = typeof reply === 'string' ? bodyOf(reply) : reply.body.fields;
  if (isAnswer) yield (fields as Pick<Answer, 'answer'>).answer;
  else
    for (const entry of Object.values(fields).filter(Array.isArray).flat() as unknown[])
      yield JSON.stringify(entry, (_name, value: unknown) =>
        typeof value === 'string' ? value.slice(0, 2 * most + 1) : value,
      );
}

/** As many of the texts as fit, on lines of their own, without half of a character. */
function bounded(texts: Iterable<string>, most: number): { readonly text: string; readonly isCut: boolean } {
  const taken: string[] = [];
  let length = 0;
  for (const text of texts) {
    taken.push(text);
    length += text.length + 1;
    if (length > 2 * most + 1) break;
  }
  const whole = taken.join('\n');
  return { text: wellFormed(firstCharacters(whole, most)), isCut: hasMoreCharacters(whole, most) };
}
