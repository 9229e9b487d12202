import manifest from '../package.json' with { type: 'json' };

/** The instrumentation scope of the spans and metrics. */
export const SCOPE = { name: manifest.name, version: manifest.version } as const;
