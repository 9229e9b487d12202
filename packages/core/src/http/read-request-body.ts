import type { HandlerDeps } from './endpoint.js';
import type { GatewayRequest, RequestBody } from './gateway-request.js';
import { type BodyLimits, type JsonObject, parseJsonObject } from './parse-json.js';

/** Reads the JSON object of a request. Returns a promise only for a body that has not arrived. @throws RequestError */
export type ReadRequestBody = (request: GatewayRequest, organizationId: string) => JsonObject | Promise<JsonObject>;

/**
 * Builds the reader of request bodies. A body takes a slot until it has arrived; a body that has already arrived takes no slot.
 *
 * @param content what a body may have at most.
 * @param longest the largest body of a path whose bodies are long, which has slots of its own. Default: the gateway's limit.
 */
export function createBodyReader(
  { admission, limits, clock }: BodyReaderDeps,
  content: BodyLimits,
  longest?: number,
): ReadRequestBody {
  const { bodyTimeoutMs } = limits;
  const maxBodyBytes = longest ?? limits.maxBodyBytes;
  const bodyReads = longest === undefined ? admission.bodyReads : admission.longBodyReads;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parse = (body: RequestBody) => parseJsonObject(body, content);

  async function readWithSlot(request: GatewayRequest, organizationId: string): Promise<JsonObject> {
    bodyReads.take(organizationId);
    try {
      return parse(await request.readBody(bodyLimits));
    } finally {
      bodyReads.free(organizationId);
    }
  }

  return (request, organizationId) => {
    if (request.bodyHasArrived !== true) return readWithSlot(request, organizationId);
    const body = request.readBody(bodyLimits);
    return 'then' in body ? body.then(parse) : parse(body);
  };
}

type BodyReaderDeps = Pick<HandlerDeps, 'admission' | 'limits' | 'clock'>;
