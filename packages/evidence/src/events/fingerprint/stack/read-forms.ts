import { readHeader } from './exception-header.ts';
import { APP_FORMS } from './forms/app-forms.ts';
import {
  type FrameForm,
  type FrameParts,
  partsOf,
  plainFrame,
  type StackLanguage,
} from './forms/frame-form.ts';
import { NATIVE_FORMS } from './forms/native-forms.ts';
import { SCRIPT_FORMS } from './forms/script-forms.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import type { StackLine } from './stack-lines.ts';

/** A form, and what each of its lines begins with. */
interface Form extends FrameForm {
  start: number;
}

const ANYTHING = 0;
const NUMBER_SIGN = 1;
const DIGIT = 2;
const WORD_AT = 3;
const BRACKET = 4;

/** The starts of the forms' patterns, after the blanks at the start of a line. */
const STARTS: readonly [string, number][] = [
  ['^\\s*#', NUMBER_SIGN],
  ['^\\s*\\d', DIGIT],
  ['^\\s*at ', WORD_AT],
  ['^\\s*\\[\\d', BRACKET],
];

const FORMS: readonly Form[] = [...APP_FORMS, ...NATIVE_FORMS, ...SCRIPT_FORMS].map((form) => ({
  ...form,
  start: STARTS.find(([source]) => form.pattern.source.startsWith(source))?.[1] ?? ANYTHING,
}));

function startOf({ text, indent }: StackLine): number {
  const code = text.charCodeAt(indent);
  if (code === 0x23) return NUMBER_SIGN;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code === 0x5b) return BRACKET;
  return text.startsWith('at ', indent) ? WORD_AT : ANYTHING;
}

/** Something that only traces of these forms hold; a text without it is not read by them at all. */
const HINT =
  /\((?:package|dart|file|org-dartlang-\w{1,12}):|(?:package|dart):\S{1,300} \d+:\d|(?:packages|dart-sdk)\/\S{1,300} \d+:\d|\[0x[0-9a-f]+\]|\(at |::|\.rs:| pc |0x[0-9a-f]{4}|\/0x[0-9a-f]|\.(?:exs?|erl|cr|jl|l?hs|lua):|, line \d+\)|called at |: line \d| char:\d|\.php(?::| line )\d|\w![\w?]|^[^\S\n\r\u2028\u2029]*\d{1,4}: [A-Za-z.]|\.(?:c|cc|cpp|m|mm|h|hpp|go|psm?1):\d|[├└]─/im;

export function mayHoldForms(stack: string): boolean {
  return HINT.test(stack);
}

/** Returns the results of the forms of each further runtime for a stack text. */
export function readForms(stack: string, lines: readonly StackLine[]): Map<StackLanguage, LanguageStack> {
  const found = new Map<StackLanguage, Map<number, ParsedFrame | null>>();
  const reversed = new Set<StackLanguage>();
  const spare = new Map<StackLanguage, number[]>();
  const starts = lines.map(startOf);
  const met = new Set(starts);
  for (const form of FORMS) {
    if (form.start !== ANYTHING && !met.has(form.start)) continue;
    if (!stack.includes(form.mark)) continue;
    let byLine = found.get(form.language);
    let reached = form.isCallSite ? placeOfFailure(lines) : null;
    for (let index = 0; index < lines.length; index++) {
      if (form.start !== ANYTHING && starts[index] !== form.start) continue;
      const { text } = lines[index] ?? { text: '' };
      const groups = text.includes(form.mark) ? form.pattern.exec(text)?.groups : undefined;
      if (groups === undefined || byLine?.has(index)) continue;
      const place = form.place?.exec(lines[index + 1]?.text ?? '')?.groups;
      if (form.needsPlace && place === undefined) continue;
      byLine ??= new Map();
      const parts = partsOf(groups);
      let placed = place === undefined ? parts : { ...parts, ...definedParts(place) };
      if (reached !== null) {
        const { file, line, col } = placed;
        placed = { ...placed, ...reached };
        reached = { file, line, col };
      } else if (byLine.size === 0 && placed.file !== '') {
        placed = { ...placed, line: lineOfError(lines, placed.file) ?? placed.line };
        placed.line ??= lineInHeader(lines, placed.file);
      }
      if (form.isReversed) reversed.add(form.language);
      if (form.isNamedByNext) placed = { ...placed, fn: nameOfPlace(form, lines, index) };
      // The oldest call has neither a name nor, in R, a place.
      const isEmpty = form.isNamedByNext === true && placed.fn === '' && placed.file === '';
      byLine.set(index, isEmpty ? null : (form.toFrame ?? unnamed)(placed));
      if (form.isSpare) {
        const indexes = spare.get(form.language) ?? [];
        spare.set(form.language, indexes);
        indexes.push(index);
      }
      if (place !== undefined) {
        byLine.set(index + 1, null);
        index += 1;
      }
    }
    if (byLine !== undefined) found.set(form.language, byLine);
  }
  for (const [language, indexes] of spare) withoutSpare(found.get(language), indexes);
  return new Map(
    [...found].map(([language, byLine]) => [
      language,
      {
        frameLineCount: byLine.size,
        readChain: () => {
          const chain = readChain(lines, byLine);
          if (reversed.has(language)) for (const { frames } of chain) frames.reverse();
          return chain;
        },
      },
    ]),
  );
}

function withoutSpare(byLine: Map<number, ParsedFrame | null> | undefined, spare: readonly number[]): void {
  if (byLine === undefined || byLine.size === spare.length) return;
  for (const index of spare) byLine.set(index, null);
}

/**
 * The function around the place of a line, which is on the next line. The oldest call below others has the name of what it
 * called, if it has a place; a call alone has none, as all that it says is `error`.
 */
function nameOfPlace({ mark, pattern }: FrameForm, lines: readonly StackLine[], index: number): string {
  const partsOf = (at: number) => {
    const { text } = lines[at] ?? { text: '' };
    return text.includes(mark) ? pattern.exec(text)?.groups : undefined;
  };
  const next = partsOf(index + 1);
  if (next !== undefined) return next.fn ?? '';
  const own = partsOf(index);
  return own?.file === undefined || partsOf(index - 1) === undefined ? '' : (own.fn ?? '');
}

/** `it failed at lib/cart.pl line 42.`, above the frames. */
const FAILED_AT = / at (?<file>\S{1,300}) line (?<line>\d{1,9})\.?\s*$/;
/** Lines above the frames that may say where it failed. */
const HEADER_LINES_MAX = 3;

type Place = Pick<FrameParts, 'file' | 'line' | 'col'>;

function placeOfFailure(lines: readonly StackLine[]): Place | null {
  for (const { text } of lines.slice(0, HEADER_LINES_MAX)) {
    const groups = FAILED_AT.exec(text)?.groups;
    if (groups !== undefined) return { file: groups.file ?? '', line: groups.line, col: undefined };
  }
  return null;
}

/** The line of a file that errors of Rust name apart from their spans: `Location:`, and `src/cart.rs:21` below. */
function lineOfError(lines: readonly StackLine[], file: string): string | undefined {
  if (!file.endsWith('.rs')) return undefined;
  const place = lines[lines.findIndex(({ text }) => text.trim() === 'Location:') + 1]?.text.trim() ?? '';
  return place.startsWith(`${file}:`) ? /^\d{1,9}/.exec(place.slice(file.length + 1))?.[0] : undefined;
}

/** The line of a file that the header names: `cart.lua:42: attempt to call nil`. */
function lineInHeader(lines: readonly StackLine[], file: string): string | undefined {
  for (const { text } of lines.slice(0, HEADER_LINES_MAX)) {
    const at = text.indexOf(`${file}:`);
    const line = at === -1 ? undefined : /^\d{1,9}(?=:)/.exec(text.slice(at + file.length + 1))?.[0];
    if (line !== undefined) return line;
  }
  return undefined;
}

function definedParts(groups: Readonly<Record<string, string | undefined>>) {
  const { mod, file, line, col } = partsOf(groups);
  return { mod, file, line, col };
}

function unnamed(parts: Parameters<typeof plainFrame>[0]): ParsedFrame {
  return plainFrame(parts, { module: parts.mod, function: parts.fn, inApp: true });
}

const CAUSE = /^\s*(?:Caused by:?|Cause:)\s+(?=\S)/;

function readChain(
  lines: readonly StackLine[],
  byLine: ReadonlyMap<number, ParsedFrame | null>,
): ParsedException[] {
  let current: ParsedException = { ...readHeader(byLine.has(0) ? '' : (lines[0]?.text ?? '')), frames: [] };
  const chain = [current];
  lines.forEach(({ text }, index) => {
    const frame = byLine.get(index);
    if (frame !== undefined) {
      if (frame !== null) current.frames.push(frame);
    } else if (CAUSE.test(text)) {
      current = { ...readHeader(text.replace(CAUSE, '')), frames: [] };
      chain.push(current);
    }
  });
  return chain;
}
