import { forwardSlashes, writtenFile } from '../file-path.ts';
import type { LanguageStack, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';

/**
 * The contract's name pattern
 * `^([\w./~%-]+\.(?:\(\*?[\w.\[\]]+\)\.)?[\w.\[\]·-]+)\(.*\)\s*$`
 * with its two forms apart and the first dot after the last slash taken for the second: the same names
 * without trying every dot.
 */
const NAME =
  /^([\w./~%-]+\.\(\*?[\w.[\]]+\)\.[\w.[\]·-]+|(?:[\w./~%-]*[/~%]|[\w.-])[\w-]*\.[\w.[\]·-]+)\(.*\)\s*$/;
const FILE = /^\s+((?:[A-Za-z]:)?[^\s]+\.(?:go|s)):(\d+)(?:\s+\+0x[0-9a-f]+)?\s*$/;

/** Go panics and stack dumps: a name line and a file line make one frame (contract incidents 5.4.6, row go). */
export function readGoStack(lines: readonly StackLine[]): LanguageStack {
  const frames: ParsedFrame[] = [];
  // The first of the calls that a panic further below would turn into calls of its recovery.
  let recovering = 0;
  for (let index = 0; index + 1 < lines.length; index++) {
    const name = lines[index];
    const file = lines[index + 1];
    if (name === undefined || file === undefined || (name.indent > 0 && name.indent >= file.indent)) continue;
    if (name.text.startsWith('goroutine ')) recovering = frames.length;
    if (file.indent === 0 || (!file.text.includes('.go:') && !file.text.includes('.s:'))) continue;
    const place = FILE.exec(file.text);
    if (place?.[1] === undefined) continue;
    const called = readGoName(name.text.slice(name.indent));
    if (called !== null) frames.push(goFrame(called, place[1], place[2]));
    else if (name.text.startsWith(PANIC)) {
      for (const frame of frames.slice(recovering)) frame.isRecovery = true;
      recovering = frames.length;
    }
  }
  const message = lines[0]?.text ?? '';
  return { frameLineCount: frames.length, readChain: () => [{ type: '', message, frames }] };
}

/** The runtime's call between the code that panicked, below it, and the deferred calls that deal with it, above. */
const PANIC = 'panic(';

/** The qualified function of a name line, or null. */
export function readGoName(text: string): string | null {
  const name = NAME.exec(text)?.[1] ?? null;
  if (name !== null || !MANY_TYPES.test(text)) return name;
  return NAME.exec(withoutTypeArguments(text))?.[1] ?? null;
}

/** Types in brackets may hold commas, stars and paths: `Map[go.shape.int,*github.com/acme/shop.Row](`. */
const MANY_TYPES = /^[^\s([]{1,300}\[[^\s(]{0,300}[,*/][^\s(]{0,300}\]/;

const IMPORT_PATH_ELEMENTS_KEPT = 2;
const COMPILER_SUFFIX = /(?:\.func\d+|\.gowrap\d+|\.\d+|-fm|-range\d+)+$/;

/** A frame by the name rules of Go. */
export function goFrame(name: string, file: string, line: string | undefined): ParsedFrame {
  const plain = withoutTypeArguments(name);
  const dot = plain.indexOf('.', plain.lastIndexOf('/') + 1);
  const importPath = plain.slice(0, dot);
  const called = plain.slice(dot + 1);
  return {
    module: importPath.split('/').slice(-IMPORT_PATH_ELEMENTS_KEPT).join('/'),
    function: called.replace(COMPILER_SUFFIX, '') || called,
    file: writtenFile(file),
    line: positionNumber(line),
    column: null,
    inApp: isInApp(importPath, file),
  };
}

function withoutTypeArguments(name: string): string {
  let plain = name;
  for (let depth = 0; depth < 8 && plain.includes('['); depth++) plain = plain.replace(/\[[^[\]]*\]/g, '');
  return plain;
}

const STANDARD_LIBRARY: ReadonlySet<string> = new Set(
  (
    'archive bufio builtin bytes cmp compress container context crypto database debug embed encoding errors ' +
    'expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect ' +
    'regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe ' +
    'vendor weak'
  ).split(' '),
);

function isInApp(importPath: string, file: string): boolean {
  const first = importPath.split('/', 1)[0] ?? '';
  return (
    !STANDARD_LIBRARY.has(first) &&
    !/pkg\/mod|(?:^|\/)vendor\/|@v|_cgo_gotypes\.go$/.test(forwardSlashes(file))
  );
}
