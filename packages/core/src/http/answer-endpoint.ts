import type { AnswerResult } from '../answer/answer.js';
import { formatUsd } from '../money.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { AuthenticatedCall, Endpoint, HandlerDeps } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { parseJsonObject } from './parse-json.js';
import { answerFieldsParser } from './wire-schemas.js';

/** `POST /api/v1/answer`. */
export function answerEndpoint({ answer, admission, limits, clock }: HandlerDeps): Endpoint {
  const { maxBodyBytes, bodyTimeoutMs, maxQueryCharacters } = limits;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parseFields = answerFieldsParser(maxQueryCharacters);

  return {
    name: 'answer',
    methods: ['POST'],
    admit: () => admission.enter(),
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes);
    },
    async respond(request, call) {
      const { model, query, includeCitations } = parseFields(parseJsonObject(await request.readBody(bodyLimits)));
      call.requestedModel = model;
      const { apiKey, trace } = call;
      const isDisconnected = () => request.disconnected;
      const result = await answer({ apiKey, model, query, includeCitations, isDisconnected }, trace);
      const headers = { 'server-timing': serverTiming(call, clock.monotonic()) };
      return jsonResponse(trace.requestId, answerText(result), { status: 200, headers });
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

/** Milliseconds spent here and at providers, so that a slow answer can be blamed on the right side. */
function serverTiming({ startMs, trace }: AuthenticatedCall, nowMs: number): string {
  const gatewayMs = Math.max(0, nowMs - startMs - trace.upstreamMs);
  return `gateway;dur=${gatewayMs.toFixed(1)}, upstream;dur=${trace.upstreamMs.toFixed(1)}`;
}
