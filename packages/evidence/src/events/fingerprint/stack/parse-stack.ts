import type { ExceptionPayload } from '../../normalize/event.ts';
import { readDotnetStack } from './dotnet-stack.ts';
import { withoutLeadingBackslash } from './exception-header.ts';
import { readGoStack } from './go-stack.ts';
import { readJsStack } from './js-stack.ts';
import { readJvmStack } from './jvm-stack.ts';
import { LANGUAGE_HINTS } from './language-hints.ts';
import type { LanguageStack, ParsedException } from './parsed-stack.ts';
import { readPhpStack } from './php-stack.ts';
import { readPythonStack } from './python-stack.ts';
import { readRubyStack } from './ruby-stack.ts';
import { type StackLine, stackLines } from './stack-lines.ts';
import { readSwiftStack } from './swift-stack.ts';

/** In the order that decides ties. */
const READERS: readonly [RegExp, (lines: readonly StackLine[]) => LanguageStack][] = [
  [LANGUAGE_HINTS.js, readJsStack],
  [LANGUAGE_HINTS.python, readPythonStack],
  [LANGUAGE_HINTS.ruby, readRubyStack],
  [LANGUAGE_HINTS.php, readPhpStack],
  [LANGUAGE_HINTS.jvm, readJvmStack],
  [LANGUAGE_HINTS.go, readGoStack],
  [LANGUAGE_HINTS.dotnet, readDotnetStack],
  [LANGUAGE_HINTS.swift, readSwiftStack],
];

/**
 * The cause chain that a stack text shows, outermost first, by the parser that recognizes most frame lines;
 * empty when none recognizes a line (contract incidents 5.4.6).
 */
export function parseStack(stack: string | null): ParsedException[] {
  if (stack === null || stack === '') return [];
  const lines = stackLines(stack);
  let best: LanguageStack | null = null;
  for (const [hint, read] of READERS) {
    if (!hint.test(stack)) continue;
    const result = read(lines);
    if (result.frameLineCount > (best?.frameLineCount ?? 0)) best = result;
  }
  return best?.readChain() ?? [];
}

/**
 * The cause chain of an exception event, outermost first, at least one member. The first member has the
 * event's own type and message. Explicit causes count only when the stack text shows none.
 */
export function exceptionChain(
  payload: Pick<ExceptionPayload, 'name' | 'message' | 'stack' | 'causes'>,
): ParsedException[] {
  const parsed = parseStack(payload.stack);
  const own: ParsedException = {
    type: withoutLeadingBackslash(payload.name),
    message: payload.message,
    frames: parsed[0]?.frames ?? [],
  };
  if (parsed.length > 1) return [own, ...parsed.slice(1)];
  const explicit = payload.causes.map(({ name, message, stack }) => ({
    type: withoutLeadingBackslash(name),
    message,
    frames: parseStack(stack)[0]?.frames ?? [],
  }));
  return [own, ...explicit];
}
