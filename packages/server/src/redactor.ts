import { maskSecrets } from '@searchgate/core/provider-kit';
import { contentOf } from './check-service.js';
import type { Environment } from './environment.js';

/** The variables of a server. Others, such as those of a shell, are not printed. */
const OWN = /^SEARCHGATE_|^OTEL_|^ADMIN_|_(?:API_KEY|BASE_URL)$/;
const SOUNDS_SECRET = /secret|key$|keys$|tokens?$|password|authorization|hash|headers/i;
const REFERENCE = /\$\{([A-Za-z_]\w*)\}/;
/** User and password, query and fragment of a URL. */
const PARTS_OF_URL = [/:\/\/[^:@]*:(.*)@/s, /:\/\/([^:@]*)@/s, /:\/\/[^?#]*[?#](.*)/s];

/**
 * Builds the one function through which everything passes that a check and a start print about the configuration: it hides whatever environment and file keep
 * secret, wherever a message has it from.
 */
export function redactorOf(environment: Environment): (text: string) => string {
  const own = Object.entries(environment).filter(([name]) => OWN.test(name));
  const given = [Object.fromEntries(own), contentOf(environment['SEARCHGATE_CONFIG']).content];
  const secrets = [...secretsIn(given, '', environment)];
  return (text) => maskSecrets(text, secrets);
}

/** @param name the field that holds the value, or the list around it. */
function* secretsIn(value: unknown, name: string, environment: Environment): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [own, child] of Object.entries(value))
      yield* secretsIn(child, Array.isArray(value) || /headers$/i.test(name) ? name : own, environment);
  }
  if (typeof value !== 'string') return;
  const ofUrl = PARTS_OF_URL.map((part) => part.exec(value)?.[1]);
  // Text and names of variables by turns. The names are shown.
  const pieces = value.split(REFERENCE);
  const variables = pieces.filter((_, index) => index % 2 === 1).map((variable) => environment[variable]);
  const texts = SOUNDS_SECRET.test(name) ? pieces.filter((_, index) => index % 2 === 0) : [];
  for (const secret of [...texts, ...ofUrl, ...variables]) {
    if (secret === undefined) continue;
    yield secret;
    // As messages quote it.
    yield JSON.stringify(secret).slice(1, -1);
  }
}
