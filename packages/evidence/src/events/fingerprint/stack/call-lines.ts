import { modulePath, writtenFile } from '../file-path.ts';
import type { ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';

/** The form in which a runtime that names no places writes the calls of a stack, newest first. */
interface CallForm {
  pattern: RegExp;
  /** Functions of the runtime itself. */
  library: RegExp;
}

const FORMS: readonly CallForm[] = [
  {
    // Common Lisp: `4: (SHOP::TOTAL NIL)`, `5: ((LAMBDA (X)) 3)`.
    pattern: /^\s{0,8}\d{1,4}: \({1,2}(?:(?:FLET|LABELS|METHOD|LAMBDA) )?(?<fn>[^\s()]{1,200})/,
    library:
      /^SB-|^COMMON-LISP:|^(?:C?ERROR|SIGNAL|INVOKE-DEBUGGER|EVAL|LOAD|FUNCALL|APPLY|MAP\w*|REDUCE|SORT|BREAK)$/,
  },
  {
    // Addresses with names, as glog and many crash handlers write: `@ 0x55aa01020304 shop::Cart::total()`.
    pattern:
      /^\s{0,8}(?:#?\d{1,4}:?\s{1,4}|@\s{1,8})?0x[0-9a-f]{4,16}\s{1,4}(?:- )?(?<fn>[\p{L}_~$][^\s(]{0,200})/u,
    library: /^(?:_+libc|_start|start|std::|__|abort|raise|gsignal|unknown)/,
  },
  {
    // Emacs Lisp: `  shop-total(nil)`.
    pattern: /^ {2}\(?(?<fn>[a-z][\w+*!?<>=/-]{0,200})\(.{0,900}\)\s*$/,
    library:
      /^(?:apply|funcall|eval|signal|error|debug|let\*?|progn|if|cond|while|condition-case|unwind-protect|save-excursion|mapc|mapcar|command-execute|load|require|run-hooks|timer-event-handler|(?:call|funcall)-interactively|(?:string|buffer|re|looking|replace|number|char|goto|insert|delete|file|expand|get|put|set|make)-\w[\w-]*|n?th(?:cdr)?|c[ad]{1,4}r|aref|aset|substring|concat|format|insert|length|intern)$/,
  },
  {
    // Smalltalk: `Account>>deposit: in Account.class`, `[ … ] in Bank class>>open`.
    pattern:
      /^\s{0,8}(?:\[.{0,100}\] in )?(?<fn>[A-Z]\w{0,100}(?:\([A-Z]\w{0,100}\))?(?: class)?>>[A-Za-z_][\w:]{0,200})/,
    library:
      />>(?:doesNotUnderstand:|error:|halt)|^(?:Process|Context|BlockClosure|FullBlockClosure|Error|Exception|Object)\b/,
  },
];
/** One line of a form may be a sentence. */
const LINES_MIN = 2;

/** `In shop/cart.scm:` of Guile, with its calls in the lines below: `    17:10  1 (total 3)`, newest last. */
const FILE_ABOVE = /^In (?<file>[^\s:]{1,300}):$/;
const CALL_IN_FILE = /^\s+(?:(?<line>\d{1,9}):(?<col>\d{1,9}))?\s+\d{1,4} \((?<fn>[^\s()]{1,200})/;
const GUILE_LIBRARY = /^(?:ice-9|srfi|oop|system|rnrs|language)\//;

/**
 * The calls of a stack whose lines name functions and no places of them, newest first; empty when fewer than two lines are
 * written in one of the forms.
 */
export function readCallLines(lines: readonly StackLine[]): Map<number, ParsedFrame[]> {
  const inFiles = callsInFiles(lines);
  if (inFiles.size > 0) return inFiles;
  for (const { pattern, library } of FORMS) {
    const found = new Map<number, ParsedFrame[]>();
    lines.forEach(({ text }, index) => {
      const name = pattern.exec(text)?.groups?.fn;
      if (name !== undefined) found.set(index, [callFrame(name, !library.test(name))]);
    });
    if (found.size >= LINES_MIN) return found;
  }
  return callsBelowTitle(lines);
}

/** A title, and a name on each line below it: `Backtrace:`, `  > ADD-TAX`, newest first. */
const TITLE = /^\s{0,8}(?:Back ?trace|Call ?stack|Stack ?trace):?\s*$/i;
const NAME_ALONE = /^\s{1,8}[>-] (?<fn>[^\s()[\]"'>]{1,200})(?: \[[^\]]{0,200}\])?\s*$/;
const LISP_LIBRARY = /^(?:si|sb-\w{1,20}|system|ext|cl):/i;

function callsBelowTitle(lines: readonly StackLine[]): Map<number, ParsedFrame[]> {
  const title = lines.findIndex(({ text }) => TITLE.test(text));
  const found = new Map<number, ParsedFrame[]>();
  for (let index = title + 1; title !== -1 && index < lines.length; index++) {
    const name = NAME_ALONE.exec(lines[index]?.text ?? '')?.groups?.fn;
    if (name === undefined) break;
    found.set(index, [callFrame(name, !LISP_LIBRARY.test(name))]);
  }
  return found.size >= LINES_MIN ? found : new Map();
}

function callsInFiles(lines: readonly StackLine[]): Map<number, ParsedFrame[]> {
  const calls: [number, ParsedFrame][] = [];
  let file: string | null = null;
  lines.forEach(({ text }, index) => {
    file = FILE_ABOVE.exec(text)?.groups?.file ?? file;
    const groups = file === null ? undefined : CALL_IN_FILE.exec(text)?.groups;
    if (file === null || groups?.fn === undefined) return;
    const isPlaced = groups.line !== undefined;
    const frame = callFrame(groups.fn, isPlaced && !GUILE_LIBRARY.test(file));
    calls.push([index, isPlaced ? { ...frame, ...placeIn(file, groups) } : frame]);
  });
  return new Map(calls.reverse().map(([index, frame]) => [index, [frame]]));
}

function placeIn(file: string, { line, col }: Record<string, string | undefined>) {
  return {
    module: modulePath(file),
    file: writtenFile(file),
    line: positionNumber(line),
    column: positionNumber(col),
  };
}

function callFrame(name: string, inApp: boolean): ParsedFrame {
  return { module: '', function: name, file: null, line: null, column: null, inApp };
}
