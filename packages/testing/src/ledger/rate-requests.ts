import type { AdmitRequest, Ledger } from '@searchgate/core/ledger';

export function requestOf(changes: Partial<AdmitRequest> = {}): AdmitRequest {
  return { organizationId: 'acme', keyId: 'key-1', ...changes };
}

/** The results of `times` requests in sequence: `admitted`, or the refusing limit. */
export async function admitTimes(ledger: Ledger, times: number, request: AdmitRequest): Promise<readonly string[]> {
  const answers: string[] = [];
  for (let time = 0; time < times; time += 1) {
    const result = await ledger.admit(request);
    answers.push(result.status === 'refused' ? result.by : result.status);
  }
  return answers;
}
