import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import { tokenCount } from '../catalog/units.js';
import type { Loss } from '../ledger/ledger.js';
import type { Slot } from '../limits/provider-limits.js';
import type { Embedding, EmbedOutcome, EmbedPort, ProviderEmbed } from '../provider-kit/provider.js';
import { costOfParts, errorOfParts, type PaidPart, partsOf, runParts } from './batches.js';
import { isObject, requireOutcome } from './kind.js';
import type { AttemptContext } from './kind-call.js';
import { mayBeBilled, costOf as reportedCost } from './sold-units.js';
import { inputLimit, likelyTokens, measureTexts } from './token-estimate.js';

/** How often the texts of a request are halved: 24 texts come to one, 256 to eight. */
const MAX_HALVINGS = 5;
/** Most tokens of the words that a vendor puts before a text of a role, such as "Represent the query for retrieving supporting documents: " (Voyage). */
const ROLE_TOKENS = 24;

/** No vendor counts more tokens of a text. @param most of the text alone. */
export function mostTokens(model: ProviderEmbed['model'], most: number, inputType: ProviderEmbed['inputType']): number {
  return Math.min(inputLimit(model), most + (inputType === undefined ? 0 : ROLE_TOKENS));
}

const NO_BATCH: Batch = { texts: [], first: 0, halvings: 0 };

/** Texts that are sent together. */
interface Batch {
  readonly texts: readonly string[];
  /** The place of the first text in the whole call. */
  readonly first: number;
  readonly halvings: number;
}

interface MadeBatch extends Batch, PaidPart {
  readonly units: { readonly tokens: number };
  readonly outcome: EmbedOutcome;
}

interface EmbeddedTexts extends EmbedOutcome {
  readonly tokens: number;
  readonly parts: readonly PaidPart[];
  readonly losses: readonly Pick<Loss, 'cost' | 'reason'>[];
}

/**
 * Sends texts in requests of the size that the port and the model take. A request that is refused as too large is sent again in halves. One failed request
 * fails the call: a list of vectors with holes is of no use.
 */
export async function embedInParts(
  port: EmbedPort,
  call: ProviderEmbed,
  context: AttemptContext,
): Promise<EmbeddedTexts> {
  const { inputs, model } = call;
  const batches = batchesOf(port, call);
  const limit = inputLimit(model);
  const made: MadeBatch[] = [];
  const refused: (PaidPart & { readonly reason: string })[] = [];
  let failure: UpstreamError | undefined;

  /** @returns whether the next texts are wanted. */
  async function embed({ texts, first, halvings }: Batch, slot: Slot | null): Promise<boolean> {
    const units = { tokens: texts.reduce((sum, text) => sum + Math.min(limit, likelyTokens(text)), 0) };
    try {
      const outcome = await context.ask((own) => port.embed({ ...call, inputs: texts }, own), slot);
      requireOutcome(outcome, 'embeddings');
      const tokens = tokenCount(outcome.cost.usage?.inputTokens) || undefined;
      // A count of nothing is no count: beside those of other parts it would pass for part of the sum.
      const cost = tokens === undefined ? { reported: outcome.cost.reported } : outcome.cost;
      const amount = context.costOf({ cost, isSold: true, units });
      made.push({ texts, first, halvings, outcome, cost, units, amount });
    } catch (error) {
      if (!isUpstreamError(error)) throw error;
      const cost = reportedCost(error);
      const amount = context.costOf({ cost, isSold: mayBeBilled(error), units });
      refused.push({ cost, units, amount, reason: error.reason });
      if (error.mayFitInParts && texts.length > 1 && halvings < MAX_HALVINGS && !context.signal.aborted) {
        const half = Math.ceil(texts.length / 2);
        const later = { texts: texts.slice(half), first: first + half, halvings: halvings + 1 };
        return (await embed({ ...later, texts: texts.slice(0, half), first }, slot)) && embed(later, slot);
      }
      failure ??= error;
    }
    return failure === undefined;
  }

  await runParts(batches.length, (at, slot) => embed(batches[at] ?? NO_BATCH, slot), context);
  // Texts that were not sent: the time was over.
  const count = made.reduce((sum, { texts }) => sum + texts.length, 0);
  if (count < inputs.length) failure ??= new UpstreamError('upstream_timeout', { phase: 'body' });
  // Of a call in one request, the attempt knows the cost of the failure.
  const isAlone = batches.length === 1 && made.length + refused.length === 1;
  if (failure !== undefined) throw isAlone ? failure : errorOfParts(failure, [...made, ...refused]);
  const losses = refused.flatMap(({ amount, reason }) => (amount > 0n ? [{ cost: amount, reason }] : []));
  return { ...joined(made), losses };
}

function batchesOf({ maxInputs }: EmbedPort, { model, inputs, inputType }: ProviderEmbed): readonly Batch[] {
  const { maxRequestTokens: most = 0 } = model;
  // Texts are measured only where a request has a limit.
  const weights = most > 0 ? measureTexts(inputs).map((size) => mostTokens(model, size.most, inputType)) : [];
  let first = 0;
  return partsOf(inputs, maxInputs, { weights, most }).map((texts) => {
    const batch = { texts, first, halvings: 0 };
    first += texts.length;
    return batch;
  });
}

/** Batches that are made, in the order of the texts. */
function joined(made: readonly MadeBatch[]): Omit<EmbeddedTexts, 'losses'> {
  const parts = [...made].sort((a, b) => a.first - b.first);
  const embeddings = parts.flatMap(({ outcome, first, texts }) =>
    outcome.embeddings.map((each) => ofWholeCall(each, first, texts.length)),
  );
  const tokens = parts.reduce((sum, { cost, units }) => sum + (cost.usage?.inputTokens ?? units.tokens), 0);
  return {
    embeddings,
    cost: costOfParts(parts),
    parts,
    tokens,
    upstreamRequestId: parts[0]?.outcome.upstreamRequestId,
  };
}

/** An embedding of a part, with the index of its text in the whole call. No part can name a text of another. */
function ofWholeCall(embedding: Embedding, first: number, count: number): Embedding {
  const { index = Number.NaN, vector = '' }: Partial<Embedding> = isObject(embedding) ? embedding : {};
  return { index: index >= 0 && index < count ? first + index : Number.NaN, vector };
}
