/** One member of a cause chain. Chains run from the outermost exception to the innermost. */
export interface ParsedException {
  /** Empty when the header is unreadable. */
  type: string;
  message: string;
  /** Newest call first. */
  frames: ParsedFrame[];
}

export interface ParsedFrame {
  module: string;
  function: string;
  /** As written, without scheme, host and query; null when the stack names no file. */
  file: string | null;
  line: number | null;
  column: number | null;
  inApp: boolean;
}

/** What one language's parser made of a stack text. */
export interface LanguageStack {
  /** Lines recognized as frames, dropped and ignored frames included: the parser with most wins. */
  frameLineCount: number;
  /**
   * Outermost first, at least one member. The first member's type and message are those of the text, empty
   * when it shows none. Called only for the winner.
   */
  readChain: () => ParsedException[];
}
