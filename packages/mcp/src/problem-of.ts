import type { ErrorEnvelope, Refusal } from '@searchgate/core/extensions';
import type { Problem } from './gateway-source.js';

type Reason = ErrorEnvelope['error']['reason'];
type Metadata<R extends Reason> = ErrorEnvelope<R>['error']['metadata'];

/** Turns an error of the gateway into a problem for an agent. */
export function problemOf({ error, retryAfterSeconds }: Refusal): Problem {
  const { reason, message, retryable } = error;
  const advice = retryable ? retryAdvice(retryAfterSeconds) : (adviceFor(error) ?? 'Trying again will not help.');
  return { reason, message, advice, retryAfterSeconds, error };
}

function retryAdvice(seconds: number | null): string {
  if (seconds === null) return 'Try again.';
  return `Try again after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** Returns no advice for unknown reasons and metadata, which a gateway of another version may send. */
function adviceFor({ reason, metadata }: ErrorEnvelope['error']): string | undefined {
  if (!Object.hasOwn(ADVICE, reason)) return undefined;
  try {
    return (ADVICE as { readonly [R in Reason]?: (of: unknown) => string })[reason]?.(metadata);
  } catch {
    return undefined;
  }
}

const LIST_MODELS = 'Call list_models, and choose one of its models.';
const ASK_DIFFERENTLY = 'Ask differently, or choose another model.';
const ANOTHER_MODEL = 'Choose another model, and let the operator of the gateway know.';
const CHECK_KEY = 'Let the user know that the API key of this server has to be replaced.';

/** Advice for errors that a retry would only repeat. */
const ADVICE: { readonly [R in Reason]?: (metadata: Metadata<R>) => string } = {
  invalid_field: () => 'Then call the tool again.',
  unsupported_field: () => 'Then call the tool again.',
  model_not_found: ({ suggestions }) => (suggestions.length === 0 ? LIST_MODELS : chooseOf(suggestions)),
  model_not_allowed: () => LIST_MODELS,
  model_category_mismatch: () => LIST_MODELS,
  unsupported_option: ({ options, models }) => {
    const leaveOut = `eave out ${options.join(', ')}.`;
    return models.length === 0 ? `L${leaveOut}` : `${chooseOf(models)} Or l${leaveOut}`;
  },
  organization_credits_exhausted: () => 'Choose a cheaper model, or ask the operator of the gateway for more credits.',
  key_limit_reached: largerLimit,
  budget_exceeded: largerLimit,
  query_rejected: () => ASK_DIFFERENTLY,
  no_answer_found: () => ASK_DIFFERENTLY,
  upstream_auth_failed: () => ANOTHER_MODEL,
  upstream_quota_exhausted: () => ANOTHER_MODEL,
  upstream_rejected: () => ANOTHER_MODEL,
  missing_api_key: () => CHECK_KEY,
  malformed_authorization: () => CHECK_KEY,
  invalid_api_key: () => CHECK_KEY,
  revoked_api_key: () => CHECK_KEY,
  expired_api_key: () => CHECK_KEY,
};

function largerLimit({ resets_at: resetsAt }: Metadata<'key_limit_reached' | 'budget_exceeded'>): string {
  return typeof resetsAt === 'string'
    ? `Choose a cheaper model, or try again after ${resetsAt}.`
    : 'Choose a cheaper model, or ask the operator of the gateway for a higher limit.';
}

function chooseOf(models: readonly string[]): string {
  return `Choose one of these models: ${models.join(', ')}.`;
}
