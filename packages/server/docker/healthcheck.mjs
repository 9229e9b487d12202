// Ends with 0 where the server of this container is ready for calls, with 1 where it is not. The image has no curl.
const port = process.env.PORT || '3000';
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
