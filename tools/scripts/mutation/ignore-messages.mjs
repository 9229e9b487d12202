/* Excludes the texts of errors and log lines from mutation: tests check classes, reasons and fields, and texts often change. */

/** `new SomethingError('…')`. */
const makesError = (node) => node.type === 'NewExpression' && (node.callee.name ?? '').endsWith('Error');
/** `logger.error({ … }, '…')`. */
const logs = ({ type, callee }) =>
  type === 'CallExpression' &&
  callee.type === 'MemberExpression' &&
  [callee.object.name, callee.object.property?.name].includes('logger');
const isText = (node) => node.type === 'StringLiteral' || node.type === 'TemplateLiteral';

function shouldIgnore({ node, parent }) {
  return isText(node) && parent && (makesError(parent) || logs(parent)) ? 'the wording of a message' : undefined;
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'messages', value: { shouldIgnore } }];
