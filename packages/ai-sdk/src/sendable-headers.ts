import { InvalidArgumentError } from '@ai-sdk/provider';
import { normalizeHeaders } from '@ai-sdk/provider-utils';

/**
 * Headers by lower-case names. The platform's error for an invalid value prints the value, which may be a secret.
 *
 * @throws InvalidArgumentError naming the header but not its value.
 */
export function sendableHeaders(headers: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  const normalized = normalizeHeaders(headers);
  for (const [name, value] of Object.entries(normalized)) {
    if (isSendable(name, value)) continue;
    const message = `Searchgate: headers: ${JSON.stringify(name)} cannot be sent, or has a value that cannot be`;
    throw new InvalidArgumentError({ argument: 'headers', message });
  }
  return normalized;
}

function isSendable(name: string, value: string): boolean {
  try {
    new Headers().set(name, value);
    return true;
  } catch {
    return false;
  }
}
