import { cutCodePoints } from '../bounded-text.ts';
import { messageLine } from '../message-line.ts';
import { foldValues } from './fold-values.ts';
import { MarkedText } from './marks.ts';
import { protectText } from './protected-text.ts';
import { scanTokens } from './scan-tokens.ts';
import type { TemplateToken } from './template-token.ts';
import { markWholeValues } from './whole-values.ts';

const TEMPLATE_CODE_POINTS_MAX = 256;

/** The placeholder of every value in a template, of any kind. */
const VALUE = '<*>';

/**
 * The message with its values replaced by one placeholder, at most 256 code points, never empty
 * (docs/contract/grouping.md 2). From this message alone; `type` is the type of its exception, empty when there is none.
 */
export function messageTemplate(message: string, type: string): string {
  return writtenTemplate(templateTokens(message, type));
}

/** The tokens of a message's template. */
export function templateTokens(message: string, type: string): readonly TemplateToken[] {
  const marks = new MarkedText();
  const line = protectText(markWholeValues(messageLine(message, type)), marks);
  return foldValues(scanTokens(line, marks));
}

/** The text of a template's tokens; every value is written as `value` says, else as the key has it. */
export function writtenTemplate(
  tokens: readonly TemplateToken[],
  value: (token: TemplateToken) => string = () => VALUE,
): string {
  let text = '';
  for (const token of tokens) {
    if (token.isSpaced && text !== '') text += ' ';
    text += token.kind === 'value' ? value(token) : token.text;
  }
  return cutCodePoints(text, TEMPLATE_CODE_POINTS_MAX) || '<empty>';
}
