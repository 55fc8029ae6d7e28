import { modulePath, writtenFile } from '../../file-path.ts';
import type { ParsedFrame } from '../parsed-stack.ts';
import { positionNumber } from '../stack-lines.ts';

/** Languages whose frames this product reads; a library or runtime names the one of its events. */
export type StackLanguage =
  | 'js'
  | 'python'
  | 'ruby'
  | 'php'
  | 'jvm'
  | 'go'
  | 'dotnet'
  | 'swift'
  | 'dart'
  | 'rust'
  | 'native'
  | 'elixir'
  | 'crystal'
  | 'perl'
  | 'lua'
  | 'powershell'
  | 'julia'
  | 'haskell'
  | 'r'
  /** No language: what the general reader found. */
  | 'general';

/** The form in which the traces of one runtime write a frame on one line. */
export interface FrameForm {
  language: StackLanguage;
  /** The text that every line of the form contains. */
  mark: string;
  /** A whole line; groups `fn`, `mod`, `file`, `line`, `col` and `offset`, each of which may be missing. */
  pattern: RegExp;
  /** A line that continues with the place of the frame before it. */
  place?: RegExp;
  /** Without that line it is no frame. */
  needsPlace?: true;
  /** Oldest call first, as some runtimes write. */
  isReversed?: true;
  /** The place of a line is where its function was called from; the place of the failure is in the header. */
  isCallSite?: true;
  /** The same without such a header: the name on the next line is that of the function around the place. */
  isNamedByNext?: true;
  /** It says again where the first frame of the other forms of its language is, and is a frame where there is none. */
  isSpare?: true;
  toFrame?: (parts: FrameParts) => ParsedFrame | null;
}

/** The parts of a frame line, unchanged. */
export interface FrameParts {
  fn: string;
  mod: string;
  file: string;
  line: string | undefined;
  col: string | undefined;
  /** The place in the binary, in hex digits. */
  offset?: string | undefined;
}

export function partsOf(groups: Readonly<Record<string, string | undefined>>): FrameParts {
  const { fn = '', mod = '', file = '', line, col, offset } = groups;
  return { fn: fn.trim(), mod, file: file.trim(), line, col, offset };
}

/** A frame whose module is its file, else what its name begins with. */
export function plainFrame(
  { file, line, col }: FrameParts,
  named: { module: string; function: string; inApp: boolean },
): ParsedFrame {
  return {
    module: named.module === '' && file !== '' ? modulePath(file) : named.module,
    function: named.function === '' ? '<anonymous>' : named.function,
    file: file === '' ? null : writtenFile(file),
    line: positionNumber(line),
    column: positionNumber(col),
    inApp: named.inApp,
  };
}

/** Returns the text before the last separator of a name, and the text after it. */
export function splitName(name: string, separator: string): { owner: string; last: string } {
  const at = name.lastIndexOf(separator);
  return at === -1
    ? { owner: '', last: name }
    : { owner: name.slice(0, at), last: name.slice(at + separator.length) };
}
