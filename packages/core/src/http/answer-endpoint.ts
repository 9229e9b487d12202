import type { AnswerResult } from '../answer/answer.js';
import { RequestError } from '../errors.js';
import { isIdempotencyKey } from '../idempotency-key.js';
import { formatUsd } from '../money.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { AuthenticatedCall, Endpoint, HandlerDeps } from './endpoint.js';
import type { GatewayResponse } from './gateway-request.js';
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

  return {
    name: 'answer',
    methods: ['POST'],
    admit: () => admission.enter(),
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes);
    },
    async respond(request, call) {
      const idempotencyKey = request.header('idempotency-key');
      if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey))
        throw new RequestError('invalid_idempotency_key');
      const { model, query, includeCitations } = parseFields(parseJsonObject(await request.readBody(bodyLimits)));
      call.requestedModel = model;
      const { apiKey, trace } = call;
      const isDisconnected = () => request.disconnected;
      const plan = answers.plan({ apiKey, model, query, includeCitations, isDisconnected }, trace);
      if (idempotencyKey === undefined) return present(await answers.run(plan, trace), call);
      const run = async () => present(await answers.run(plan, trace), call);
      return answerOnce(deps, { idempotencyKey, plan, call }, run);
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
