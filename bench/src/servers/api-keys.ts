/** The API keys of the benchmark, by number; the load generator and the gateways derive the same ones. */
export function apiKeyOf(number: number): string {
  return `bench-key-${number.toString().padStart(8, '0')}-of-the-benchmark`;
}

export function organizationOf(number: number): string {
  return `organization-${number}`;
}
