import type { JsonObject } from '../../envelope/json.ts';
import type { SourceLines } from '../../normalize/source-lines.ts';
import type { FrameMap } from './frame-map.ts';

/** One member of a cause chain. Chains run from the outermost exception to the innermost. */
export interface ParsedException {
  /** Empty when the header is unreadable. */
  type: string;
  message: string;
  /** Newest call first. */
  frames: ParsedFrame[];
  /** The outermost exception of each member of a group of errors; they follow in the chain as well. */
  group?: ParsedException[];
}

export interface ParsedFrame {
  module: string;
  function: string;
  /** The written file without scheme, host and query; null when the stack names no file. */
  file: string | null;
  line: number | null;
  column: number | null;
  inApp: boolean;
  /**
   * The call ran after the failure, to deal with it, as the closure that recovers a Go panic does. It is the place of
   * the failure only where there is no other.
   */
  isRecovery?: true;
  /** A comprehension of Python, which newer versions run without a call. */
  isInlined?: true;
  /** Its column is an offset in bytecode, from 0. */
  isOffset?: true;
  /** A browser fetched the file. */
  isServed?: true;
  /** The client's own value of `inApp`; absent when it sent none. */
  sentInApp?: boolean;
  /** The package that the frame's code comes from, as the client or the trace names it. */
  package?: string;
  /** The source around the call, where the client sent it or a source map has it. */
  source?: SourceLines;
  /** The file of a JavaScript frame with scheme, host and query. */
  address?: string;
  /** The source maps' result for the frame; absent if it was not looked up. */
  map?: FrameMap;
  /** The values of its variables, as text, if the client sent them. */
  vars?: JsonObject;
}

/** The place of the application's own code that led to a failure, as people read it. */
export interface ApplicationFrame {
  /** The written file without scheme, host and query; the module if the stack names no file. */
  file: string;
  line: number | null;
  function: string;
}

/** The result of one language's parser for a stack text. */
export interface LanguageStack {
  /** Lines recognized as frames, dropped and ignored frames included: the parser with most wins. */
  frameLineCount: number;
  /**
   * Outermost first, at least one member. The first member's type and message are those of the text, empty
   * when it shows none. Called only for the winner.
   */
  readChain: () => ParsedException[];
}
