import type { Answered } from './questions.js';

/**
 * An exam by someone who knew the documentation and not this example: terse questions, many in broken English. When it was first asked, 23 of 40 answers
 * had the fact, 16 in their first section, and 4 of the 20 questions out of scope were answered. The documents and the rule were changed for it since.
 */
export const STRANGERS: readonly Answered[] = [
  [
    'koa: my middleware comes after the gateway, is it still called for the gateway urls?',
    /koa/,
    /does not call .?next\b|middleware (behind|after) it sees (only )?other requests/i,
  ],
  [
    'koa app has central error page, now callers get our html instead of the json errors. why',
    /koa/,
    /replaces the gateway.s errors|such middleware can also replace a response/i,
  ],
  [
    'how i mount it with @koa/router below /search',
    /koa/,
    /router\.all\(\s*['"]\/search\/\{\*rest\}['"],\s*gatewayRouter\(gateway,\s*\{\s*prefix:/i,
  ],
  [
    'what is the biggest request body it accept by default',
    /configuration/,
    /maxBodyBytes[^.]{0,60}(65,?536|64 KiB)|(65,?536|64 KiB)[^.]{0,60}maxBodyBytes/i,
  ],
  [
    'i revoked a leaked key, how long does it still work on the other servers?',
    /administration/,
    /every other process within[^.]{0,30}\b5 s|at most .?keyCacheMaxAgeMs\W{0,4}5 s|running services[^.]{0,20} within[^.]{0,25}\b5 s|keyCacheMaxAgeMs[^.]{0,20}5,000[^]{0,120}revoked key may live|keyCacheMaxAgeMs\W{0,4}5 s\b[^]{0,60}hard age/i,
  ],
  [
    'our exa key changes every hour (vault). restart needed each time?',
    /providers/,
    /function that returns the current one|for keys that rotate|apiKey: \(\) => readKeyFromVault\(\)/i,
  ],
  ['are we allowed to show gemini answers to our end users', /google/, /forbid showing these answers to end users/i],
  [
    'i dont want that anybody sees or uses one expensive model, how to remove it from the list',
    /configuration/,
    /neither listed nor callable|hidden\W{1,3}true/i,
  ],
  ['how long can perplexity/high run before timeout?', /providers/, /perplexity\/high\b[^/]{0,120}\b600 s/i],
  [
    'all our good keys suddenly get auth_rate_limited, we are behind nginx',
    /troubleshooting/,
    /(a )?proxy hides the addresses|or all callers share the proxy|callers behind a proxy that the gateway does not know share an address|behind a proxy, name the real address|behind a proxy, set[^]{0,120}are limited by .?(ctx|req)\.ip/i,
  ],
  [
    'what means 429 budget_in_flight, is the money gone or only wait?',
    /errors/,
    /would fit if nothing else were in flight|calls in flight hold the rest of the budget|what is left is held by calls|calls that are running hold the rest of the budget/i,
  ],
  ['stream arrives in one piece at the end through nginx', /embedding/, /X-Accel-Buffering|proxy_buffering off/i],
  [
    'user closes browser tab in the middle of a streamed answer, do we still have to pay?',
    /streaming/,
    /hangs up after .?start.?[^.]{0,20}yes|the answer is read to its end|leaving the loop closes the connection, but the answer is charged|attempt under way is finished[^.]{0,60}(charged|settled)/i,
  ],
  [
    'can i give allowed sites and forbidden sites in the same question?',
    /search-options/,
    /not together with .?include_domains/i,
  ],
  [
    'if the model can not filter by date does it just ignore my date filter?',
    /search-options/,
    /refused with .{0,80}unsupported_option|the model cannot do all that .?search.? asks for|honored by the provider.s own field for it, or not at all/i,
  ],
  ['how many backup models can the caller send with one question', /routing/, /\b0 to 4 slugs/i],
  [
    'want one name like "auto" for our teams that always takes the fastest model',
    /routing/,
    /groups?\b[^]{0,400}sort\W{1,5}latency|a group is several models under one name|several answer models under one name/i,
  ],
  [
    'we run 3 replicas, is the 60/min limit of a key per replica or total?',
    /limits/,
    /all processes that share a ledger share the limits/i,
  ],
  [
    'how give a customer 1.50 dollar back',
    /administration/,
    /amount -1\.50|-0\.25\W{0,4}being a refund|corrects usage(:| by a signed amount)/i,
  ],
  [
    'monthly spend limit of a key, which day and which timezone does it start new?',
    /ledger/,
    /midnight\W{1,3}UTC|calendar in UTC|a month at midnight before its first day/i,
  ],
  ['redis.conf what must be set so we never lose money if redis crash', /ledger-redis/, /appendfsync always/i],
  [
    'several teams use one key, can they mark requests so i see cost for each team',
    /usage/,
    /A request may name what it is for|A tag has 1 to 64|"tag": "team-a"|by.{0,12}day.{0,6}model.{0,6} or .?tag/i,
  ],
  ['what sees somebody who opens the dashboard without permission', /dashboard/, /404 with an empty body/i],
  [
    'lost the password for /admin, how get new one',
    /server/,
    /admin-password[^]{0,60}remove the file|searchgate password-hash\b/i,
  ],
  ['reload the json config without restarting the server possible?', /server/, /\bSIGHUP\b|kill -HUP/i],
  [
    'frontend react app, do i put the api key into createClient?',
    /client/,
    /every visitor could read it|keep API keys out of browsers/i,
  ],
  ['claude desktop config for our gateway?', /mcp/, /npx\b[^]{0,60}@searchgate\/mcp/i],
  [
    'openai sdk: request with system message gives 400, why',
    /openai/,
    /texts of .{0,3}system|system prompts?[^.]{0,80}refused|unsupported_field[^]{0,250}\bsystem\b/i,
  ],
  ['which prometheus metric tells me that a provider is out at the moment', /telemetry/, /searchgate_provider_paused/i],
  [
    'k8s rolling update: after sigterm how long does the server accept connections',
    /server/,
    /SEARCHGATE_SHUTDOWN_DELAY_MS[^.]{0,40}(5000|5,000|5 s\b)/i,
  ],
  [
    'unit tests: want to move the time by hand instead of sleeping, is there something for the gateway',
    /configuration/,
    /createFakeClock/i,
  ],
  [
    'my node script finished but process not exit',
    /troubleshooting/,
    /sockets or timers of the gateway are open|does not end[^]{0,80}gateway\.close\(\)/i,
  ],
  ['undici RetryAgent how many times it tries again by default', /undici/, /maxRetries[^]{0,90}default\W{1,4}5\b/i],
  ['undici MockAgent: test must fail if real network call happens', /undici/, /disableNetConnect/i],
  [
    'pino dont print passwords in the log',
    /pino/,
    /\bredact\b[^]{0,40}(option|:\s*[[{]|paths)|using the .?redact.? option/i,
  ],
  ['pino on aws lambda, last log lines missing', /pino/, /destination with .?sync: true/i],
  ['zod check input without throw', /zod/, /\bsafeParse\b/i],
  [
    'lru-cache with ttl: are old entries deleted alone or stay in memory?',
    /lru-cache/,
    /no preemptive pruning|preemptively_? deleted|ttlAutopurge/i,
  ],
  ['fresh install of koa, does it have some middleware inside already?', /koa/, /not bundled with any middleware/i],
  ['express command to make a new empty project skeleton', /express/, /express-generator|express \/tmp\/foo/i],
];

export const STRANGERS_OUT_OF_SCOPE: readonly string[] = [
  'helm chart for searchgate?',
  'can i use mongodb as ledger, how is the connection string',
  'how to mount the gateway in django',
  'login to the dashboard with our company SAML / okta',
  'is there 2FA for the admin password',
  'connect cohere command model as provider, which env variable',
  'which uptime SLA does searchgate promise',
  'let customers buy credits by stripe checkout, how to configure the keys',
  'replace the logo of the dashboard with our own',
  'terraform provider to create searchgate api keys',
  'how do i block callers from certain countries in searchgate',
  'which languages does it translate the question to before the search',
  'when comes searchgate version 2 out',
  'koa websocket chat room example',
  'axios interceptor refresh token',
  'prisma migrate deploy fails with P3009',
  'best value for shared_buffers in postgres with 32 GB ram',
  'express with pug templates, where goes the layout file',
  'who won the football world cup 2014',
  'how long must i cook rice in a pressure cooker',
];
