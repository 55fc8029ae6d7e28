import { readDotnetGroup } from './dotnet-group.ts';
import type { StackLanguage } from './forms/frame-form.ts';
import { readGeneralStack } from './general-stack.ts';
import { readGoStack } from './go-stack.ts';
import { readJsStack } from './js-stack.ts';
import { readJvmStack } from './jvm-stack.ts';
import { LANGUAGE_HINTS, likelyLanguage, TRACEBACK } from './language-hints.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { readPhpStack } from './php-stack.ts';
import { readPythonStack } from './python-stack.ts';
import { mayHoldForms, readForms } from './read-forms.ts';
import { readRubyStack } from './ruby-stack.ts';
import { type StackLine, stackLines } from './stack-lines.ts';
import { readSwiftStack } from './swift-stack.ts';

/** The content of a stack text. */
interface ReadStack {
  language: StackLanguage;
  /** Outermost first, at least one member. */
  chain: ParsedException[];
}

/** Readers of whole languages, in the order that decides ties, each with what every frame of it holds. */
const READERS: readonly [
  StackLanguage,
  (stack: string, lines: readonly StackLine[]) => boolean,
  (lines: readonly StackLine[]) => LanguageStack,
][] = [
  ['js', LANGUAGE_HINTS.js, readJsStack],
  ['python', LANGUAGE_HINTS.python, readPythonStack],
  ['ruby', LANGUAGE_HINTS.ruby, readRubyStack],
  ['php', LANGUAGE_HINTS.php, readPhpStack],
  ['jvm', LANGUAGE_HINTS.jvm, readJvmStack],
  ['go', LANGUAGE_HINTS.go, (lines) => readGoStack(firstGoroutine(lines))],
  ['dotnet', LANGUAGE_HINTS.dotnet, readDotnetGroup],
  ['swift', LANGUAGE_HINTS.swift, readSwiftStack],
];

/**
 * The cause chain of a stack text (docs/contract/grouping.md 4). The named language wins if it reads at least half of
 * what the best one reads. Null when nothing reads a frame.
 */
export function readStack(stack: string | null, named: StackLanguage | null): ReadStack | null {
  if (stack === null || stack === '') return null;
  const lines = stackLines(stack);
  const readings: [StackLanguage, LanguageStack][] = [];
  const first = READERS.find(([language]) => language === named);
  const own = first?.[1](stack, lines) ? withOneChain(first[2](lines)) : null;
  // No other one can read twice as much.
  if (first !== undefined && own !== null && own.frameLineCount * 2 >= lines.length) {
    return { language: first[0], chain: own.readChain() };
  }
  const likely = likelyLanguage(stack, lines);
  const early = likely === null || likely === named ? own : withOneChain(EARLY[likely](lines));
  if (likely !== null && early !== null && isDecided(likely, early, lines)) {
    return { language: likely, chain: early.readChain() };
  }
  for (const [language, hint, read] of READERS) {
    const reading =
      language === named
        ? own
        : language === likely
          ? early
          : hint(stack, lines)
            ? withOneChain(read(lines))
            : null;
    if (reading === null) continue;
    readings.push([language, reading]);
    if (isWhole(language, reading, lines) && !stack.includes(TRACEBACK)) break;
  }
  if (!isCovered(readings, lines.length) && mayHoldForms(stack)) {
    for (const reading of readForms(stack, lines)) readings.push(reading);
  }
  const filled = readings.filter(([, { frameLineCount }]) => frameLineCount > 0);
  const [language, reading] = guestOf(stack, filled) ?? choose(filled, named) ?? [];
  if (language === undefined || reading === undefined) return null;
  return { language, chain: reading.readChain() };
}

const EARLY = { python: readPythonStack, jvm: readJvmStack, dotnet: readDotnetGroup } as const;

/** Returns true if no other reader can win the stack over the likely one. */
function isDecided(
  likely: keyof typeof EARLY,
  { frameLineCount }: LanguageStack,
  lines: readonly StackLine[],
): boolean {
  // A traceback is where the failure happened, whatever is around it.
  return likely === 'python' ? frameLineCount > 0 : frameLineCount * 2 > lines.length;
}

/** Several questions are about the chain, before it is the answer. */
function withOneChain({ frameLineCount, readChain }: LanguageStack): LanguageStack {
  let chain: ParsedException[] | null = null;
  return {
    frameLineCount,
    readChain: () => {
      chain ??= readChain();
      return chain;
    },
  };
}

/**
 * Returns the result of `readStack`, else the places that a line of any runtime shows; null when nothing in the text is
 * a place. A reader that knows few of the lines and no place in them, or places of another language alone, has read a
 * text that is not of its language.
 */
export function readAnyStack(stack: string | null, named: StackLanguage | null): ReadStack | null {
  const read = readStack(stack, named);
  if (stack === null || stack === '' || (read !== null && isConvincing(read, stack))) return read;
  const general = readGeneralStack(stackLines(stack));
  const known = framesOf(read).length;
  if (general.frameLineCount === 0 || general.frameLineCount < known) return read;
  const chain = general.readChain();
  const hasPlace = framesOfChain(chain).some(({ line }) => line !== null);
  return general.frameLineCount > known || hasPlace ? { language: 'general', chain } : read;
}

/** Frames with a place that make a text in a message a trace, and no prose that names a file. */
const PLACES_MIN = 2;

/** Reads like `readAnyStack`, from a text that need not be a stack. */
export function readTrace(text: string): ReadStack | null {
  const read = readAnyStack(text, null);
  if (read?.language !== 'general') return read;
  const places = framesOf(read).filter(({ file, line }) => file !== null && line !== null);
  return places.length >= PLACES_MIN || PLACE_OF_RUST.test(text) ? read : null;
}

/** The place that errors of Rust name where no trace was made. */
const PLACE_OF_RUST = /^Location:\s{0,80}\n\s{1,80}\S{1,300}\.rs:\d/m;

/** A place within a file, but no folder such as `Program Files (x86)`. */
const BEGINS_PLACE = / \((?![^()]{0,100}\)[\\/])/;

function isConvincing(read: ReadStack, stack: string): boolean {
  const frames = framesOf(read);
  if (read.language === 'js') {
    const isWhole = frames.every(({ file }) => file === null || !BEGINS_PLACE.test(file));
    return isWhole && !areOfOtherLanguage(frames) && frames.some(({ line }) => line !== null);
  }
  return frames.some(({ file }) => file !== null) || frames.length * 2 >= filledLineCount(stack);
}

function framesOf(read: ReadStack | null): readonly ParsedFrame[] {
  return framesOfChain(read?.chain ?? []);
}

/** Most chains have one member, whose frames these are. */
function framesOfChain(chain: readonly ParsedException[]): readonly ParsedFrame[] {
  const [only] = chain;
  return only !== undefined && chain.length === 1 ? only.frames : chain.flatMap(({ frames }) => frames);
}

function filledLineCount(stack: string): number {
  return stackLines(stack).filter(({ text, indent }) => indent < text.length).length;
}

/** The exception of Android with which React Native ends; its Java calls are always the same. */
const OF_REACT_NATIVE = 'JavascriptException: ';

/**
 * A trace in the message of another runtime is where the failure happened: a traceback of Python in one of Spark, the
 * calls of JavaScript in one of Android.
 */
function guestOf(
  stack: string,
  readings: readonly [StackLanguage, LanguageStack][],
): [StackLanguage, LanguageStack] | null {
  if (readings.length < 2) return null;
  if (stack.includes(OF_REACT_NATIVE)) return readings.find(([language]) => language === 'js') ?? null;
  if (!stack.includes(TRACEBACK)) return null;
  return readings.find(([language]) => language === 'python') ?? null;
}

/** Returns true if every line but the header is a frame, so that no later reader reads more. */
function isWhole(language: StackLanguage, reading: LanguageStack, lines: readonly StackLine[]): boolean {
  if (reading.frameLineCount === 0 || reading.frameLineCount < lines.length - 1) return false;
  return language !== 'js' || !isOfOtherLanguage(reading);
}

/** Returns true if a reader of a whole language has read so much that no form can have read more. */
function isCovered(readings: readonly [StackLanguage, LanguageStack][], lineCount: number): boolean {
  return readings.some(([language, reading]) => {
    const share = reading.frameLineCount / Math.max(1, lineCount);
    return (
      share >= (TWO_LINED.has(language) ? 0.3 : 0.6) && (language !== 'js' || !isOfOtherLanguage(reading))
    );
  });
}

/** Languages that write two lines for a frame. */
const TWO_LINED: ReadonlySet<StackLanguage> = new Set(['go', 'python']);

function choose(
  readings: readonly [StackLanguage, LanguageStack][],
  named: StackLanguage | null,
): [StackLanguage, LanguageStack] | null {
  if (readings.length < 2) return readings[0] ?? null;
  const fitting = readings.filter(
    ([language, reading]) =>
      (language !== 'js' || named === 'js' || !isOfOtherLanguage(reading)) &&
      // Numbered lines of code look like calls of Rust.
      (language !== 'rust' ||
        named === 'rust' ||
        hasFiles(reading) ||
        !readings.some(([, each]) => hasFiles(each))),
  );
  const rivals = fitting.length === 0 ? readings : fitting;
  let best = rivals[0] ?? null;
  for (const rival of rivals) {
    if (best === null || rival[1].frameLineCount > best[1].frameLineCount) best = rival;
  }
  const own = rivals.find(
    ([language, { frameLineCount }]) =>
      language === named && frameLineCount * 2 >= (best?.[1].frameLineCount ?? 0),
  );
  return own ?? best;
}

function hasFiles(reading: LanguageStack): boolean {
  return framesOfChain(reading.readChain()).some(({ file }) => file !== null);
}

const OTHER_SOURCE =
  /^\.(?:py|rb|php|java|kt|kts|scala|clj[cs]?|groovy|go|rs|cs|fs|vb|dart|exs?|erl|swift|m|mm|c|cc|cpp|h|hpp|pl|pm|lua|jl|hs|cr|ps1|zig|nim|d|mli?|f|for|f\d\d|ad[abs]|pas|dpr|gd|hx|bas|cls|tcl|cf[mc]|rkt|scm|ss|lisp|el|bzl|sh|sql|cbl|cob|v|sol|as)$/i;

/** A frame in a source file of another language is never one of JavaScript. */
function isOfOtherLanguage(reading: LanguageStack): boolean {
  return areOfOtherLanguage(framesOfChain(reading.readChain()));
}

function areOfOtherLanguage(frames: readonly ParsedFrame[]): boolean {
  let others = 0;
  for (const { file } of frames) if (file !== null && isOtherSource(file)) others += 1;
  return others * 2 > frames.length;
}

/** The length of the longest extension, with its dot. */
const EXTENSION_CHARS_MAX = '.groovy'.length;

/** The extension is at the end, and the pattern alone would look after each dot. */
function isOtherSource(file: string): boolean {
  const dot = file.lastIndexOf('.');
  return dot !== -1 && file.length - dot <= EXTENSION_CHARS_MAX && OTHER_SOURCE.test(file.slice(dot));
}

const CRASH_REGISTERS = / fp=0x[0-9a-f]+ sp=0x[0-9a-f]+ pc=0x[0-9a-f]+\s*$/;
const GO_FILE = /^\s+\S{1,400}\.go:\d/;
/** The length of the longest name that `GO_NAME` can match; longer lines would only cost its time. */
const GO_NAME_CHARS_MAX = 605;
const GO_NAME = /^[\w./~%-]{1,300}\.(?:\(\*?[\w.[\]]{1,100}\)\.)?[\w.·-]{1,200}$/;

/** The lines of the goroutine that failed, written the one way that the reader knows. */
function firstGoroutine(lines: readonly StackLine[]): StackLine[] {
  const marked = lines.some(({ text }) => MARKED_GO.test(text)) ? lines.map(withoutMarks) : lines;
  const written = marked.some(({ text }) => PLACE_OF_GIN.test(text)) ? asGoWrites(marked) : marked;
  const heads = written.flatMap(({ text }, index) => (text.startsWith('goroutine ') ? [index] : []));
  const kept = written.slice(0, heads[1] ?? written.length);
  return kept.map((line, index) => {
    if (line.text.includes(' fp=0x')) {
      return { ...line, text: line.text.replace(CRASH_REGISTERS, '') };
    }
    // `%+v` writes names without arguments.
    const below = kept[index + 1];
    const isAbove = below !== undefined && line.indent < below.indent && GO_FILE.test(below.text);
    const isName = isAbove && isGoName(line.text.slice(line.indent));
    return isName ? { ...line, text: `${line.text}()` } : line;
  });
}

/** Gin: `/srv/shop/cart.go:42 (0x104b)`, and `checkout: total := cart.Total` below, which lacks the package. */
const PLACE_OF_GIN =
  /^(\/(?:[^/\s]{1,200}\/){0,30}?([^/\s]{1,200})\/[^/\s]{1,200}\.go:\d{1,9}) \(0x[0-9a-f]{1,16}\)\s*$/;
const NAME_OF_GIN = /^\s+((?:\(\*?\w{1,100}\)\.)?[\w.]{1,200}): /;

function asGoWrites(lines: readonly StackLine[]): StackLine[] {
  const rewritten: StackLine[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? { text: '', indent: 0 };
    const [, place, folder] = PLACE_OF_GIN.exec(line.text) ?? [];
    const name = place === undefined ? undefined : NAME_OF_GIN.exec(lines[index + 1]?.text ?? '')?.[1];
    if (name === undefined) rewritten.push(line);
    else {
      rewritten.push(
        { text: `${folder}.${name.replace(`${folder}.`, '')}()`, indent: 0 },
        { text: `\t${place}`, indent: 1 },
      );
      index += 1;
    }
  }
  return rewritten;
}

/** The bar in front of the calls of one of several errors, and the marks around text that may be secret. */
const MARKED_GO = /^\s*\| |^‹/;

function withoutMarks({ text }: StackLine): StackLine {
  const plain = text.replace(/^\s*\| ?/, '').replace(/[‹›]/g, '');
  return { text: plain, indent: plain.length - plain.trimStart().length };
}

function isGoName(text: string): boolean {
  return text.length <= GO_NAME_CHARS_MAX && !text.endsWith(')') && GO_NAME.test(text);
}
