import type { Answer } from '@searchgate/core';

/** What the help page shows under its form. */
export interface HelpPage {
  readonly question: string;
  readonly answer?: Answer;
  readonly problem?: string;
}

/** A page of the application that shows an answer the server got for its reader. */
export function helpPage({ question, answer, problem }: HelpPage): string {
  const sources = (answer?.citations ?? []).map(
    ({ url, title }) => `<li><a href="${escaped(url)}">${escaped(title)}</a></li>`,
  );
  return `<!doctype html>
<title>Help</title>
<form><input name="q" value="${escaped(question)}"> <button>Ask</button></form>
${problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`}
${answer === undefined ? '' : `<pre>${escaped(answer.answer)}</pre>\n<ol>${sources.join('')}</ol>\n<small>This answer cost $${answer.usage.cost}.</small>`}
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
