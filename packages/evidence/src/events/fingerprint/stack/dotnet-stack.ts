import { writtenFile } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import { readV8Frame } from './js-frame-line.ts';
import { matchJvmFrame } from './jvm-stack.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';

/**
 * The contract's pattern with its name `[A-Za-z_<][^\s(]*(?:\.|\+)[^\s(]+` split at the first dot or plus
 * instead of the last: a name ends at white space or `(` either way.
 */
const FRAME =
  /^\s*at ([A-Za-z_<][^\s(.+]*[.+][^\s(]+)\s?\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: in (.+):line (\d+))?\s*$/;

interface FrameLine {
  name: string;
  file: string | undefined;
  line: string | undefined;
}

/** .NET stack traces (contract incidents 5.4.6, row dotnet). */
export function readDotnetStack(lines: readonly StackLine[]): LanguageStack {
  const found = new Map<number, FrameLine>();
  lines.forEach(({ text, indent }, index) => {
    const line = readDotnetLine(text, indent);
    if (line !== null) found.set(index, line);
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

/** Name, parameters, file and line of a line of the form of a frame, or null. */
export function matchDotnetFrame(text: string): RegExpExecArray | null {
  return FRAME.exec(text);
}

/**
 * A frame in the language of the system: the runtime translates the words for *at*, *in* and *line*, so only the shape
 * identifies it: an indent, a word or a few, a name with its parameters, and a file with its number.
 */
const TRANSLATED =
  /^\s{2,8}(?:[^\s()\d.,;]{1,20}[:：]? ){1,4}([A-Za-z_<][^\s(.+:]*[.+][^\s(]+)\s?\(([^()]*(?:\([^()]*\)[^()]*)*)\)(.*)$/u;
const TRANSLATED_PLACE = /(?:^|\s)((?:[A-Za-z]:[\\/]|\/|\\\\)[^:*?"<>|]{1,400}):\D{0,30}?(\d{1,9})\.?\s*$/u;

/** The offset of a call, and its place if known, which programs that were compiled ahead of time write after the call. */
const OFFSET =
  /\) \+ 0x[0-9a-f]{1,8}(?: at offset \d{1,9} in file:line:column (?:<.{1,40}>:0|(.{1,300}):(\d{1,9})):\d{1,9})?\s*$/;

function withoutOffset(text: string): string {
  return text.includes(' + 0x')
    ? text.replace(OFFSET, (_, file?: string, line?: string) =>
        file === undefined ? ')' : `) in ${file}:line ${line}`,
      )
    : text;
}

function readDotnetLine(text: string, indent: number): FrameLine | null {
  if (text.startsWith('at ', indent)) {
    const match = matchDotnetFrame(withoutOffset(text));
    if (match === null || isOfOtherRuntime(text, indent)) return null;
    return { name: match[1] ?? '', file: match[3], line: match[4] };
  }
  const match = text.includes('(') ? TRANSLATED.exec(text) : null;
  if (match === null || isOfOtherRuntime(text, indent)) return null;
  const rest = match[3] ?? '';
  const place = TRANSLATED_PLACE.exec(rest);
  // Words behind the name alone are a sentence.
  if (place === null && /[\p{L}\d]/u.test(rest)) return null;
  return { name: match[1] ?? '', file: place?.[1], line: place?.[2] };
}

function isOfOtherRuntime(text: string, indent: number): boolean {
  return matchJvmFrame(text, indent) !== null || readV8Frame(text, indent) !== null;
}

const HEAD_SEPARATOR = ' ---> ';
const GROUP_END = 'End of inner exception stack trace';
const ENDS_A_GROUP = /^\s*--- \S.{0,200} ---\s*$/;

/** Heads run from the outermost inwards, groups of frames from the innermost outwards. */
function readChain(lines: readonly StackLine[], found: ReadonlyMap<number, FrameLine>): ParsedException[] {
  const firstFrame = found.keys().next().value ?? lines.length;
  // The space lets a trimmed line that starts with the arrow count as well.
  const head = lines
    .slice(0, firstFrame)
    .map(({ text }) => text)
    .join('\n ');
  const heads = head.split(HEAD_SEPARATOR).map((text) => readHeader(text));
  // Each inner exception ends with one such line, whatever its words are.
  const ends = lines.filter(({ text }) => ENDS_A_GROUP.test(text));
  const isTranslated = ends.length === heads.length - 1 && !ends.some(({ text }) => text.includes(GROUP_END));
  let group: ParsedFrame[] = [];
  const groups = [group];
  for (let index = firstFrame; index < lines.length; index++) {
    const match = found.get(index);
    const text = lines[index]?.text ?? '';
    if (match !== undefined) {
      group.push(dotnetFrame(match.name, match.file, match.line));
    } else if (text.includes(GROUP_END) || (isTranslated && ENDS_A_GROUP.test(text))) {
      group = [];
      groups.push(group);
    } else if (text.includes('---> ')) {
      // The members of an aggregate repeat its frames after them.
      break;
    }
  }
  return heads.map((header, index) => ({ ...header, frames: groups[heads.length - 1 - index] ?? [] }));
}

/** A frame by the name rules of .NET. */
export function dotnetFrame(name: string, file: string | undefined, line: string | undefined): ParsedFrame {
  const place = codeLocation(name);
  return {
    ...place,
    file: file === undefined ? null : writtenFile(file),
    line: positionNumber(line),
    column: null,
    inApp: !LIBRARY.test(`${place.module}.`),
  };
}

/** Type and method of a name as the runtime writes it. */
export function codeLocation(written: string): Pick<ParsedFrame, 'module' | 'function'> {
  const plain = withoutTypeArguments(written);
  const constructorName = /\.(\.c?ctor)$/.exec(plain)?.[1];
  const parts = nameParts(
    constructorName === undefined ? plain : plain.slice(0, -constructorName.length - 1),
  );
  const method = constructorName ?? (parts.pop() || plain);
  const stateMachine = method === 'MoveNext' && parts.at(-1)?.startsWith('<') ? parts.pop() : undefined;
  const ofFsharp = method === 'Invoke' ? CLOSURE_OF_FSHARP.exec(parts.at(-1) ?? '')?.[1] : undefined;
  if (ofFsharp !== undefined) parts.pop();
  const owners = parts.filter((part) => !part.startsWith('<') && !part.startsWith('_Closure$__'));
  return {
    module: (owners.length > 0 ? owners : parts).join('.'),
    function: ofFsharp ?? sourceName(stateMachine ?? method),
  };
}

/** The class of a closure, by its function and line: `total@14-1`. */
const CLOSURE_OF_FSHARP = /^(\w{1,200})@\d{1,9}(?:-\d{1,9})?$/;

/** Drops arity marks and type arguments: `Repository`1`, `Find[T]`. */
function withoutTypeArguments(name: string): string {
  let plain = name.includes('`') ? name.replace(/`\d+/g, '') : name;
  for (let depth = 0; depth < 8 && plain.includes('['); depth++) plain = plain.replace(/\[[^[\]]*\]/g, '');
  return plain;
}

/** Splits at dots and pluses outside of angle brackets, which hold a method's whole name. */
function nameParts(name: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < name.length; index++) {
    const char = name.charAt(index);
    if (char === '<') depth++;
    else if (char === '>') depth = Math.max(0, depth - 1);
    else if (depth === 0 && (char === '.' || char === '+')) {
      parts.push(name.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(name.slice(start));
  return parts;
}

const NESTING_MAX = 8;

/** The name in the source of a method that the compiler made: `<X>d__1`, `<X>b__0`, `<X>g__Y|0`. */
function sourceName(compiled: string): string {
  let name = compiled;
  for (let depth = 0; depth < NESTING_MAX && name.startsWith('<'); depth++) {
    const close = closingBracket(name);
    if (close === -1) return name;
    const inner = name.slice(1, close);
    const suffix = name.slice(close + 1);
    const local = /^g__(.+?)\|/.exec(suffix)?.[1];
    if (local !== undefined) return local;
    if (suffix === '$') return '<main>';
    if (inner === '' || !/^(?:d(?:__|$)|b__)/.test(suffix)) return name;
    name = inner;
  }
  return name;
}

function closingBracket(name: string): number {
  let depth = 0;
  for (let index = 0; index < name.length; index++) {
    const char = name.charAt(index);
    if (char === '<') depth++;
    else if (char === '>' && --depth === 0) return index;
  }
  return -1;
}

const LIBRARY =
  /^(?:System|Microsoft|Newtonsoft|Npgsql|MySql|Dapper|MediatR|AutoMapper|Polly|Hangfire|Serilog|NLog|StackExchange|Grpc|Castle|FluentValidation|MassTransit|Xunit|NUnit|Swashbuckle|Azure|Amazon|Google|RabbitMQ|IdentityServer4?|NHibernate|Quartz)\./;
