import { isRequestError, type RequestError } from '../base/errors/request-error.js';
import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { CallablePart } from '../catalog/callable-model.js';
import type { ModelTerms } from '../catalog/quote.js';
import type { KindCall } from '../kinds/kind-call.js';
import type { PartFields, PartKind } from '../provider-kit/provider.js';
import { planRoute, type Routes } from '../routing/route-plan.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import type { AskPart, PartResult } from './asked-parts.js';
import { type AttemptCandidatesDeps, attemptCandidates } from './attempt-candidates.js';
import { type HeldFunds, heldForPart } from './held-funds.js';
import type { OwnKeys } from './own-keys.js';
import { type RouteNowDeps, routeNow, withShared } from './route-now.js';
import { withinRules } from './within-rules.js';

export interface AskPartDeps extends RouteNowDeps {
  readonly attempting: AttemptCandidatesDeps;
  readonly routes: Routes;
  /** `null` where organizations have no keys of their own. */
  readonly ownKeys: OwnKeys | null;
  /** The call of a part; `null` where nothing is left to ask for. @throws Error for wrong fields. */
  partCall(kind: PartKind, model: string, fields: PartFields[PartKind]): KindCall | null;
}

/** The call that a part belongs to. */
interface WholeCall {
  readonly request: AnswerRequest;
  readonly context: RequestContext;
  readonly hold: HeldFunds;
  readonly terms: ModelTerms;
}

/** What asks the parts of one call: like calls of their own, but without a hold, a charge, a cache and a caller who could go away. */
export function partAsker(deps: AskPartDeps, whole: WholeCall): AskPart {
  return async ({ part, fields, within }) => {
    const call = deps.partCall(part.kind, part.model, fields);
    if (call === null) return { status: 'answered', results: [], ...NOTHING };
    try {
      const request = requestOf(part, call, { request: whole.request, isGone: () => within.deadline.passed });
      const route = await routeOf(deps, part, { request, terms: whole.terms });
      // Its attempts are counted apart: they leave the asked model all of its own.
      const context = { ...whole.context, attempts: 0, waitedMs: 0, upstreamMs: 0 };
      const hold = heldForPart(whole.hold, route, whole.terms.nowMs);
      const result = await attemptCandidates(deps.attempting, { hold, request, context, live: null, within });
      whole.context.waitedMs += context.waitedMs;
      const { losses } = result;
      if (result.status === 'failed') return { status: 'failed', error: failureOf(result.error), paid: [], losses };
      const paid = result.paid.map((reply) => ({ ...reply, part: { call, price: hold.priceOf(reply.served) } }));
      const { value } = result.paid.at(-1)?.outcome ?? {};
      const { results } = call.present(value, request.scope).fields as { readonly results: readonly unknown[] };
      return { status: 'answered', results, paid, losses };
    } catch (error) {
      if (!isRequestError(error)) throw error;
      return { status: 'failed', error: failureOf(error), ...NOTHING };
    }
  };
}

const NOTHING: Pick<PartResult, 'paid' | 'losses'> = Object.freeze({ paid: [], losses: [] });

/** @throws RequestError `domains_exclude_all`. */
function requestOf(
  { model }: CallablePart,
  call: KindCall,
  { request, isGone }: { readonly request: AnswerRequest; isGone(): boolean },
): AnswerRequest {
  const { apiKey, routing } = request;
  return withinRules({
    apiKey,
    model,
    call,
    search: call.kind.pages === 'found' ? request.search : undefined,
    routing: routing?.keys && { keys: routing.keys },
    isDisconnected: isGone,
  });
}

/** @throws RequestError of a search option that no model supports, and of vendor keys. */
async function routeOf(
  deps: AskPartDeps,
  { model: name }: CallablePart,
  { request, terms }: { readonly request: AnswerRequest; readonly terms: ModelTerms },
) {
  const { call, search, routing } = request;
  // Who may ask the model may ask the parts that the host has chosen for it.
  const route = planRoute(deps.routes, { name, call, search, routing, allowedModels: null });
  const own = deps.ownKeys === null ? { route, shared: [] } : await deps.ownKeys.route({ request, route });
  const termsOfPart = { ...terms, unitsOf: call.askedUnits, moreTokens: 0 };
  return withShared(routeNow(deps, { route: own.route, request }, termsOfPart), own.shared);
}

/** The failure of a part for the adapter. The caller gets the error behind it, which names the model of the part. */
function failureOf(error: RequestError): UpstreamError {
  const { cause, retryAfterMs } = error;
  const notAsked = { phase: 'connect', detail: error.reason, retryAfterMs, cause: error } as const;
  if (!isUpstreamError(cause)) return new UpstreamError('upstream_unreachable', notAsked);
  // What it has cost is known already.
  const { reason, phase, status, detail, failed } = cause;
  return new UpstreamError(reason, { phase, status, detail, failed, retryAfterMs: cause.retryAfterMs, cause: error });
}
