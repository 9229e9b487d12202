import { z } from 'zod';
import { UpstreamError } from '../../base/errors/upstream-error.js';
import { jsonOfAnswer } from '../../base/json-counts.js';
import { domainFilter } from '../../base/search-options/domain-filter.js';
import type { SearchOptions } from '../../base/search-options/search-options.js';
import type { CallableModel } from '../../catalog/catalog.js';
import type { AnswerOutcome, Provider, ProviderQuestion } from '../../provider-kit/provider.js';
import { hasWords } from '../../text/has-words.js';
import { MAX_ANSWER_LENGTH, MAX_CITATIONS } from '../../text/reply-limits.js';
import { MAX_QUERY_CHARACTERS } from '../fields.js';
import { givenOptions } from '../kind.js';
import type {
  AskedModel,
  AskedOptions,
  AttemptContext,
  CallKind,
  KindBody,
  KindCall,
  ProviderAnswer,
  StreamOptions,
} from '../kind-call.js';
import { measureTexts } from '../token-estimate.js';
import type { AnswerCitation, AnswerHead, AnswerListener } from './answer-listener.js';
import { LiveStream } from './live-stream.js';
import { answerBody, type DeliveredAnswer, limitOutcome, onlyCitations, presentOutcome } from './present-outcome.js';

/** What is asked of an answer model. */
export interface Question extends Pick<ProviderQuestion, 'query' | 'earlier' | 'responseFormat'> {
  readonly includeCitations: boolean;
}

/** Answers: the kind whose calls stream, and whose values cite pages. */
const ANSWERS: CallKind = Object.freeze({
  category: 'answer',
  idPrefix: 'ans',
  hasFallbacks: true,
  mayFailByInput: false,
  isCached: true,
  isShared: true,
});

const maybeText = z.string().nullish();
/** Accepts only possible answers: a damaged entry must not be charged, and must not make a call fail. */
const keptAnswer = z.object({
  text: z.string().min(1).max(MAX_ANSWER_LENGTH),
  citations: z.array(z.object({ url: z.string(), title: maybeText, snippet: maybeText })).max(MAX_CITATIONS),
  markers: z.array(z.object({ start: z.int(), end: z.int(), position: z.int() })).optional(),
});

const NOTHING: readonly never[] = Object.freeze([]);
const noUnits = () => undefined;

/** A question, and the caller who asks it. A class, because an object literal would create its functions anew for every question. */
export class QuestionCall implements KindCall<DeliveredAnswer> {
  readonly kind = ANSWERS;
  readonly query: string;
  readonly askedUnits = noUnits;
  readonly billedUnits = noUnits;
  readonly #question: Question;
  readonly #listener: AnswerListener | null;

  /** @param listener receives the answer as a stream; `null` when the caller wants the whole answer at once. */
  constructor(question: Question, listener: AnswerListener | null) {
    this.query = question.query;
    this.#question = question;
    this.#listener = listener;
  }

  cacheKeyInput(): readonly unknown[] {
    const { earlier, responseFormat } = this.#question;
    return givenOptions({ earlier, responseFormat });
  }

  fingerprintInput(options: AskedOptions): readonly unknown[] {
    const { query, earlier, responseFormat, includeCitations } = this.#question;
    return [query, includeCitations, ...givenOptions({ ...options, earlier, responseFormat })];
  }

  unsupportedFields({ model: { features } }: CallableModel): readonly string[] {
    const { earlier, responseFormat } = this.#question;
    if (earlier === undefined && responseFormat === undefined) return NOTHING;
    return [
      ...(earlier === undefined || features.includes('multi_turn') ? [] : ['messages']),
      ...(responseFormat === undefined || features.includes('json_schema') ? [] : ['responseFormat']),
    ];
  }

  /** The prices of answers foresee a query as long as it may be by default, but no messages before it, and no schema. */
  get extraInputTokens(): number {
    const { query, earlier = [], responseFormat } = this.#question;
    const texts = earlier.map(({ content }) => content);
    if (query.length > MAX_QUERY_CHARACTERS) texts.push(query.slice(MAX_QUERY_CHARACTERS));
    if (responseFormat !== undefined) texts.push(JSON.stringify(responseFormat));
    return texts.length === 0 ? 0 : measureTexts(texts).reduce((sum, { most }) => sum + most, 0);
  }

  openStream({ id, search, onMismatch }: StreamOptions): LiveStream | null {
    const { includeCitations } = this.#question;
    if (this.#listener === null) return null;
    return new LiveStream(this.#listener, { id, includeCitations, mayCite: domainFilter(search), onMismatch });
  }

  ask(
    { id, answer: adapter }: Provider,
    { model, search, options }: AskedModel,
    context: AttemptContext,
  ): Promise<ProviderAnswer<DeliveredAnswer>> {
    if (adapter === undefined) throw new Error(`the provider ${id} answers no questions`);
    const { query, earlier, responseFormat } = this.#question;
    const isJson = responseFormat !== undefined;
    const call = {
      model,
      query,
      ...(earlier && { earlier }),
      ...(isJson && { responseFormat }),
      ...(search && { search }),
    };
    // JSON is handed over once it is known to be whole.
    const isWhole = isJson || !model.features.includes('streaming');
    const asked = context.ask((own) => {
      const live = isWhole ? undefined : own.live;
      return live && adapter.stream ? adapter.stream(call, own, live) : adapter.answer(call, own);
    });
    return asked.then((outcome) => usableAnswer(outcome, { isJson, options }, context));
  }

  present(value: DeliveredAnswer): KindBody {
    return answerBody(presentOutcome(value, this.#question.includeCitations));
  }

  /** A replayed answer comes in one part. */
  replay(readReply: () => object): void {
    if (this.#listener === null) return;
    const { id, model, provider, answer, citations = [] } = readReply() as ReplayedAnswer;
    this.#listener.start({ id, model, provider });
    if (citations.length > 0) this.#listener.citations(citations);
    this.#listener.delta(answer);
  }

  writeKept({ text, citations, markers }: DeliveredAnswer): DeliveredAnswer {
    return { text, citations, markers };
  }

  readKept(stored: unknown): DeliveredAnswer {
    return keptAnswer.parse(stored);
  }
}

/** The reply of a question. */
interface ReplayedAnswer extends AnswerHead {
  readonly answer: string;
  readonly citations?: readonly AnswerCitation[] | undefined;
}

interface AskedAnswer {
  readonly isJson: boolean;
  readonly options: SearchOptions | undefined;
}

/** Checks an outcome, which an adapter written outside this package may have made of anything. @throws UpstreamError */
function usableAnswer(
  outcome: AnswerOutcome,
  { isJson, options }: AskedAnswer,
  context: AttemptContext,
): ProviderAnswer<DeliveredAnswer> {
  const read = isJson ? inJson(outcome) : outcome;
  requireAnswer(read, isJson);
  const value = withinDomains(limitOutcome(read), options, context);
  const { cost, upstreamRequestId } = read;
  return { value, cost, upstreamRequestId };
}

/** The outcome with its JSON alone, or without a text if that is none. Brackets in JSON are data. */
function inJson(outcome: AnswerOutcome): AnswerOutcome {
  const { text }: { readonly text?: unknown } = { ...outcome };
  const isRead = typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH;
  return { ...outcome, markers: [], text: (isRead && jsonOfAnswer(text)) || '' };
}

/** An outcome that passes this check is charged, and must not break later code. */
function requireAnswer(outcome: AnswerOutcome | null | undefined, isJson: boolean): void {
  const { text, citations, cost }: Partial<AnswerOutcome> = outcome ?? {};
  const isWellFormed = typeof (cost ?? 0) === 'object' && Array.isArray(citations) && citations.every(isCitation);
  const isWhole = (given: string) => (isJson ? given !== '' : hasWords(given));
  const isAnswer = typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH && isWhole(text);
  if (isAnswer && isWellFormed) return;
  throw new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    cost: cost?.reported,
    usage: cost?.usage,
    detail: isAnswer ? 'malformed outcome' : isJson ? 'the answer is no JSON' : 'empty answer, or one that is too long',
  });
}

/** Drops citations outside the domains that the caller asked for: a provider's own filter may be missing or imprecise. */
function withinDomains(
  outcome: AnswerOutcome,
  options: SearchOptions | undefined,
  context: AttemptContext,
): DeliveredAnswer {
  const mayCite = options && domainFilter(options);
  if (mayCite === undefined) return outcome;
  const within = onlyCitations(outcome, ({ url }) => mayCite(url));
  const kept = within.citations.length;
  const dropped = outcome.citations.length - kept;
  if (dropped === 0) return outcome;
  context.citationsDropped({ dropped, kept });
  if (kept > 0) return within;
  throw new UpstreamError('no_answer_found', {
    phase: 'shape',
    status: 200,
    cost: context.costOf({ cost: outcome.cost, isSold: true, units: undefined }) || undefined,
    detail: 'no citation within the asked domains',
  });
}

function isCitation(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { url, title, snippet } = value as Partial<Record<string, unknown>>;
  return typeof url === 'string' && typeof (title ?? '') === 'string' && typeof (snippet ?? '') === 'string';
}
