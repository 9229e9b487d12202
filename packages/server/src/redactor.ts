import { maskSecrets } from '@searchgate/core/provider-kit';
import { contentOf } from './check-service.js';
import type { Environment } from './environment.js';

/** The variables of a server. Others, such as those of a shell, are not printed. */
const OWN = /^SEARCHGATE_|^OTEL_|^ADMIN_|_(?:API_KEYS?|BASE_URL)$/;
const SOUNDS_SECRET = /secret|key$|keys$|tokens?$|password|authorization|hash|headers/i;
const REFERENCE = /\$\{([A-Za-z_]\w*)\}/;
/** What is nested deeper is refused unread. */
const MAX_DEPTH = 100;
/** User and password, query and fragment of a URL. */
const PARTS_OF_URL = [/:\/\/[^:@]*:(.*)@/s, /:\/\/([^:@]*)@/s, /:\/\/[^?#]*[?#](.*)/s];

/**
 * Builds the one function through which everything passes that a check and a start print about the configuration: it hides whatever environment and file keep
 * secret, wherever a message has it from.
 */
export function redactorOf(environment: Environment): (text: string) => string {
  const own = Object.entries(environment).filter(([name]) => OWN.test(name));
  const given = [Object.fromEntries(own), contentOf(environment['SEARCHGATE_CONFIG']).content];

  /** @param name the field that holds the value, or the list around it. */
  function* secretsIn(value: unknown, name: string, depth: number): Generator<string> {
    if (typeof value === 'string') yield* secretsOf(value, name, environment);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    for (const [field, child] of Object.entries(value))
      yield* secretsIn(child, Array.isArray(value) || /headers$/i.test(name) ? name : field, depth + 1);
  }

  const secrets = [...secretsIn(given, '', 0)];
  // As they are, and as messages quote them.
  const shown = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (text) => maskSecrets(text, shown);
}

function secretsOf(text: string, name: string, environment: Environment): string[] {
  // Text and names of variables by turns. The names are shown.
  const pieces = text.split(REFERENCE);
  const values = pieces.map((piece, index) => {
    if (index % 2 === 1) return environment[piece];
    return SOUNDS_SECRET.test(name) ? piece : undefined;
  });
  return [...values, ...PARTS_OF_URL.map((part) => part.exec(text)?.[1])].filter((secret) => secret !== undefined);
}
