import type { GatewayResponse } from '@searchgate/core';

/** The page loads, runs and styles nothing, and other sites cannot frame it. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};
const RETRY_AFTER_S = '60';

/** The name is asked for where there are accounts. */
const NAME_FIELD = `<p><label for="name">Name</label></p>
<p><input id="name" name="name" autocomplete="username" autocapitalize="none" autofocus></p>
`;

/** The login form. @param message the error; must not contain user input. */
export function loginPage(status: number, message: string | null, asksName: boolean): GatewayResponse {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Searchgate: log in</title>
</head>
<body>
<main>
<h1>Searchgate</h1>
${message === null ? '' : `<p role="alert">${message}</p>\n`}<form method="post" action="login">
${asksName ? NAME_FIELD : ''}<p><label for="password">Password</label></p>
<p><input id="password" name="password" type="password" autocomplete="current-password" required${asksName ? '' : ' autofocus'}></p>
<p><button type="submit">Log in</button></p>
</form>
</main>
</body>
</html>
`;
  const retry = status === 429 ? { 'retry-after': RETRY_AFTER_S } : {};
  return { status, headers: { ...HEADERS, ...retry, 'content-length': String(Buffer.byteLength(body)) }, body };
}

/** @param location relative, so that it works behind any proxy. */
export function redirect(location: string, cookie?: string): GatewayResponse {
  const headers = { location, 'cache-control': 'no-store', 'content-length': '0' };
  return { status: 303, headers: cookie === undefined ? headers : { ...headers, 'set-cookie': cookie }, body: '' };
}
