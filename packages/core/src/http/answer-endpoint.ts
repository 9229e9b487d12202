import type { AnswerResult } from '../answer/answer.js';
import type { AnswerPlan } from '../answer/plan-answer.js';
import { RequestError } from '../errors/request-error.js';
import { isIdempotencyKey } from '../ids/idempotency-key.js';
import { formatUsd } from '../money/money.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { AuthenticatedCall, Endpoint, HandlerDeps } from './endpoint.js';
import type { GatewayRequest, GatewayResponse, RequestBody } from './gateway-request.js';
import { answerOnce } from './idempotent-answer.js';
import { jsonResponse } from './json-response.js';
import { parseJsonObject } from './parse-json.js';
import { serverTiming } from './server-timing.js';
import { answerFieldsParser } from './wire-schemas.js';

/** `POST /api/v1/answer`. */
export function answerEndpoint(deps: HandlerDeps): Endpoint {
  const { answers, admission, limits, clock } = deps;
  const { maxBodyBytes, bodyTimeoutMs, maxQueryCharacters } = limits;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parseFields = answerFieldsParser(maxQueryCharacters);

  function present(result: AnswerResult, call: AuthenticatedCall): GatewayResponse {
    const headers = serverTiming(call, clock.monotonic());
    return jsonResponse(call.trace.requestId, answerText(result), { status: 200, headers });
  }

  /** A body that is still to come can keep its place for as long as its sender likes; one that is here takes none. */
  async function awaitBody(request: GatewayRequest, organizationId: string): Promise<RequestBody> {
    admission.bodyReads.take(organizationId);
    try {
      return await request.readBody(bodyLimits);
    } finally {
      admission.bodyReads.free(organizationId);
    }
  }

  async function answer(plan: AnswerPlan, call: AuthenticatedCall): Promise<GatewayResponse> {
    return present(await answers.run(plan, call.trace), call);
  }

  return {
    name: 'answer',
    methods: ['POST'],
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes);
    },
    async respond(request, call) {
      const idempotencyKey = request.header('idempotency-key');
      if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey))
        throw new RequestError('invalid_idempotency_key');
      const { apiKey, trace } = call;
      const { organizationId } = apiKey;
      const hasArrived = request.bodyHasArrived === true;
      const body = await (hasArrived ? request.readBody(bodyLimits) : awaitBody(request, organizationId));
      const { model, query, includeCitations } = parseFields(parseJsonObject(body));
      call.requestedModel = model;
      const isDisconnected = () => request.disconnected;
      const plan = answers.plan({ apiKey, model, query, includeCitations, isDisconnected }, trace);
      admission.answers.take(organizationId);
      try {
        if (idempotencyKey === undefined) return await answer(plan, call);
        return await answerOnce(deps, { idempotencyKey, plan, call }, () => answer(plan, call));
      } finally {
        admission.answers.free(organizationId);
      }
    },
  };
}

/** The cost is set in as text: as a number it could come out with an exponent. */
function answerText({ id, model, provider, answer, citations, cost }: AnswerResult): string {
  const head = JSON.stringify(
    citations === null ? { id, model, provider, answer } : { id, model, provider, answer, citations },
  );
  return `${head.slice(0, -1)},"usage":{"cost":${formatUsd(cost)}}}`;
}
