import manifest from '../package.json' with { type: 'json' };

/** What made the spans and metrics, as OpenTelemetry shows it. */
export const SCOPE = { name: manifest.name, version: manifest.version } as const;
