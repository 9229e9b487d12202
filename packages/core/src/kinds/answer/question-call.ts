import { z } from 'zod';
import { UpstreamError } from '../../base/errors/upstream-error.js';
import { jsonOfAnswer } from '../../base/json-counts.js';
import type { PageScope } from '../../base/search-options/page-scope.js';
import type { CallableModel } from '../../catalog/catalog.js';
import type { FeatureFlag } from '../../catalog/feature-flags.js';
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
import { groundingSchema, isGrounding } from './grounding.js';
import { LiveStream } from './live-stream.js';
import {
  answerBody,
  type DeliveredAnswer,
  type Limits,
  limitOutcome,
  onlyCitations,
  presentOutcome,
} from './present-outcome.js';

/** What only some models can serve, besides the search, with the feature that they need. */
const FEATURES = {
  earlier: 'multi_turn',
  responseFormat: 'json_schema',
  instructions: 'instructions',
  maxOutputTokens: 'max_output_tokens',
} as const satisfies { readonly [Field in keyof ProviderQuestion]?: FeatureFlag };
type Extra = keyof typeof FEATURES;
const EXTRAS = Object.keys(FEATURES) as readonly Extra[];

/** What is asked of an answer model. */
export interface Question extends Pick<ProviderQuestion, 'query' | Extra> {
  readonly includeCitations: boolean;
  readonly whenUnsupported?: WhenUnsupported | undefined;
}

/** What becomes of fields where the asked model lacks their features. A model that has them is asked as usual. */
export interface WhenUnsupported {
  /**
   * Of `instructions`: `prepend` makes them the first paragraph of the question, which models follow less, and search for.
   *
   * @default `refuse`: the call is refused with `unsupported_option`
   */
  readonly instructions?: 'refuse' | 'ignore' | 'prepend' | undefined;
  /** Of the limit of the answer. @default `refuse` */
  readonly maxOutputTokens?: 'refuse' | 'ignore' | undefined;
}

/** Answers: the kind whose calls stream, and whose values cite pages. */
const ANSWERS: CallKind = Object.freeze({
  category: 'answer',
  idPrefix: 'ans',
  hasFallbacks: true,
  pages: 'found',
  isCached: true,
  isShared: true,
});

const maybeText = z.string().nullish();
/** Accepts only possible answers: a damaged entry must not be charged, and must not make a call fail. */
const keptAnswer = z
  .object({
    text: z.string().max(MAX_ANSWER_LENGTH),
    truncated: z.boolean().optional(),
    citations: z.array(z.object({ url: z.string(), title: maybeText, snippet: maybeText })).max(MAX_CITATIONS),
    markers: z.array(z.object({ start: z.int(), end: z.int(), position: z.int() })).optional(),
    grounding: groundingSchema.optional(),
  })
  .refine(({ text, truncated }) => text !== '' || truncated === true);

const noUnits = () => undefined;

/** A question, and the caller who asks it. A class, because an object literal would create its functions anew for every question. */
export class QuestionCall implements KindCall<DeliveredAnswer> {
  readonly kind = ANSWERS;
  readonly query: string;
  readonly askedUnits = noUnits;
  readonly billedUnits = noUnits;
  readonly #question: Question;
  readonly #extras: Pick<Question, Extra>;
  readonly #lenience: Lenience | undefined;
  readonly #listener: AnswerListener | null;

  /** @param listener receives the answer as a stream; `null` when the caller wants the whole answer at once. */
  constructor(question: Question, listener: AnswerListener | null) {
    this.query = question.query;
    this.#question = question;
    this.#extras = extrasOf(question);
    this.#lenience = question.whenUnsupported && lenienceOf(this.#extras, question.whenUnsupported);
    this.#listener = listener;
  }

  askedTexts(): readonly string[] {
    const { query, instructions, earlier = [] } = this.#question;
    const before = earlier.map(({ role, content }) => `${role}: ${content}`);
    return [query, ...(instructions === undefined ? [] : [`instructions: ${instructions}`]), ...before];
  }

  cacheKeyInput(): readonly unknown[] {
    return givenOptions({ ...this.#extras, lenience: this.#lenience });
  }

  fingerprintInput(options: AskedOptions): readonly unknown[] {
    const { query, includeCitations } = this.#question;
    return [query, includeCitations, ...givenOptions({ ...options, ...this.#extras })];
  }

  unsupportedFields(model: CallableModel): readonly string[] {
    // Most questions: without work for each model.
    if (this.#extras === NO_EXTRAS) return NOTHING;
    const refused = this.#lacking(model).filter((field) => this.#lenience?.[field] === undefined);
    return refused.map((field) => (field === 'earlier' ? 'messages' : field));
  }

  /** The fields that a model has no feature for, or from which the host has taken it. */
  #lacking({ model, facts }: Pick<AskedModel, 'model' | 'facts'>): readonly Extra[] {
    const isServed = (field: Extra) => [model, facts].every(({ features }) => features.includes(FEATURES[field]));
    return (Object.keys(this.#extras) as Extra[]).filter((field) => !isServed(field));
  }

  /** The prices of answers foresee a query as long as it may be by default, but nothing beside it. */
  get extraInputTokens(): number {
    const { query, earlier = [], responseFormat, instructions } = this.#question;
    const texts = earlier.map(({ content }) => content);
    if (query.length > MAX_QUERY_CHARACTERS) texts.push(query.slice(MAX_QUERY_CHARACTERS));
    if (responseFormat !== undefined) texts.push(JSON.stringify(responseFormat));
    if (instructions !== undefined) texts.push(instructions);
    return texts.length === 0 ? 0 : measureTexts(texts).reduce((sum, { most }) => sum + most, 0);
  }

  openStream({ id, scope, onMismatch }: StreamOptions): LiveStream | null {
    if (this.#listener === null) return null;
    const { includeCitations } = this.#question;
    return new LiveStream(this.#listener, { id, includeCitations, onMismatch, ...this.#limits(scope) });
  }

  /** What a model is asked: what it has features for. */
  #askedOf(asked: AskedModel): ProviderQuestion {
    const { query } = this;
    const { model, search } = asked;
    const plain = search === undefined ? { model, query } : { model, query, search };
    if (this.#extras === NO_EXTRAS) return plain;
    const lacking = this.#lacking(asked);
    if (lacking.length === 0) return { ...plain, ...this.#extras };
    const served = Object.entries(this.#extras).filter(([field]) => !lacking.includes(field as Extra));
    const isFirst = this.#lenience?.instructions === 'prepend' && lacking.includes('instructions');
    const text = isFirst ? `${this.#extras.instructions}\n\n${query}` : query;
    return { ...plain, ...Object.fromEntries(served), query: text };
  }

  ask(
    { id, answer: adapter }: Provider,
    asked: AskedModel,
    context: AttemptContext,
  ): Promise<ProviderAnswer<DeliveredAnswer>> {
    const { model, scope } = asked;
    if (adapter === undefined) throw new Error(`the provider ${id} answers no questions`);
    const isJson = this.#question.responseFormat !== undefined;
    const call = this.#askedOf(asked);
    const isLimited = call.maxOutputTokens !== undefined;
    // JSON is handed over once it is known to be whole.
    const isWhole = isJson || !model.features.includes('streaming');
    const outcome = context.ask((own) => {
      const live = isWhole ? undefined : own.live;
      return live && adapter.stream ? adapter.stream(call, own, live) : adapter.answer(call, own);
    });
    return outcome.then((given) => usableAnswer(given, { isJson, isLimited, scope }, context));
  }

  #limits(scope: PageScope | undefined): Limits {
    return { scope, isJson: this.#question.responseFormat !== undefined };
  }

  present(value: DeliveredAnswer, scope?: PageScope): KindBody {
    return answerBody(presentOutcome(value, this.#question.includeCitations, this.#limits(scope)));
  }

  /** A replayed answer comes in one part. */
  replay(readReply: () => object): void {
    if (this.#listener === null) return;
    const { id, model, provider, answer, citations = [] } = readReply() as ReplayedAnswer;
    this.#listener.start({ id, model, provider });
    if (citations.length > 0) this.#listener.citations(citations);
    if (answer !== '') this.#listener.delta(answer);
  }

  writeKept({ text, citations, markers, truncated, grounding }: DeliveredAnswer): DeliveredAnswer {
    return { text, citations, markers, truncated, grounding };
  }

  readKept(stored: unknown): DeliveredAnswer {
    return keptAnswer.parse(stored);
  }
}

const NO_EXTRAS = Object.freeze({});
const NOTHING: readonly never[] = Object.freeze([]);

function extrasOf(question: Question): Pick<Question, Extra> {
  let extras: Pick<Question, Extra> = NO_EXTRAS;
  for (const field of EXTRAS) if (question[field] !== undefined) extras = { ...extras, [field]: question[field] };
  return extras;
}

/** What becomes of given fields at models without their features, where it is no refusal. */
type Lenience = { readonly [Field in Extra]?: 'ignore' | 'prepend' };

function lenienceOf(extras: Pick<Question, Extra>, choices: WhenUnsupported): Lenience | undefined {
  const isGiven = ([field, choice]: [string, string?]) =>
    Object.hasOwn(extras, field) && (choice ?? 'refuse') !== 'refuse';
  const given = Object.entries(choices).filter(isGiven);
  return given.length === 0 ? undefined : (Object.fromEntries(given) as Lenience);
}

/** The reply of a question. */
interface ReplayedAnswer extends AnswerHead {
  readonly answer: string;
  readonly citations?: readonly AnswerCitation[] | undefined;
}

interface AskedAnswer {
  readonly isJson: boolean;
  /** Whether the model got a limit of the caller. */
  readonly isLimited: boolean;
  readonly scope: PageScope | undefined;
}

/** Checks an outcome, which an adapter written outside this package may have made of anything. @throws UpstreamError */
function usableAnswer(
  outcome: AnswerOutcome,
  asked: AskedAnswer,
  context: AttemptContext,
): ProviderAnswer<DeliveredAnswer> {
  const read = asked.isJson ? inJson(outcome) : outcome;
  requireAnswer(read, asked);
  const value = withinDomains(limitOutcome(read), asked.scope, context);
  const { cost, upstreamRequestId } = read;
  return { value, cost, upstreamRequestId };
}

/** The outcome with its JSON alone, or without a text if that is none. Brackets in JSON are data. */
function inJson(outcome: AnswerOutcome): AnswerOutcome {
  const { text, truncated }: { readonly text?: unknown; readonly truncated?: unknown } = { ...outcome };
  const isRead = typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH;
  const json = isRead ? (truncated === true ? text : jsonOfAnswer(text)) : undefined;
  return { ...outcome, markers: [], text: json || '' };
}

/** An outcome that passes this check is charged, and must not break later code. */
function requireAnswer(outcome: AnswerOutcome | null | undefined, { isJson, isLimited }: AskedAnswer): void {
  const { text, citations, cost, truncated, grounding }: Partial<AnswerOutcome> = outcome ?? {};
  const hasTypes = typeof (cost ?? 0) === 'object' && (truncated === undefined || typeof truncated === 'boolean');
  const isWellFormed = hasTypes && Array.isArray(citations) && citations.every(isCitation) && isGrounding(grounding);
  // The caller's limit may end an answer before its first word, and is paid for.
  const isWhole = (given: string) => (truncated === true ? isLimited : isJson ? given !== '' : hasWords(given));
  const isAnswer = typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH && isWhole(text);
  if (isAnswer && isWellFormed) return;
  throw new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    cost: cost?.reported,
    usage: cost?.usage,
    detail: isAnswer
      ? 'malformed outcome'
      : truncated
        ? 'the answer was cut off'
        : isJson
          ? 'the answer is no JSON'
          : 'empty answer, or one that is too long',
  });
}

/** Drops citations outside the domains of the call and of its rules: a provider's own filter may be missing or imprecise. */
function withinDomains(outcome: AnswerOutcome, scope: PageScope | undefined, context: AttemptContext): DeliveredAnswer {
  if (scope === undefined) return outcome;
  const within = onlyCitations(outcome, ({ url }) => scope.shows(url));
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
