// Exits with 0 if the server of this container is ready for calls, else with 1. The image has no curl.
const port = process.env.PORT || '3000';
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
