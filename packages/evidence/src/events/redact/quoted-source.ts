/** In longer texts every line counts as text. */
const CHARS_MAX = 8_192;
/** One of the marks of lines of a program; most texts have neither. */
const MAY_QUOTE_SOURCE = /\d \||\n {2}File "/;
/** A line with its number, as compilers show it; `>` marks the one with the fault. */
const NUMBERED = /^[ \t>]{0,8}\d{1,6} ?\|/;
/** The place in front of a line, in a trace of Python. */
const PLACE = '  File "';
const OF_PLACE = '    ';

/** Lines of a text that are together of a program, or together not. */
export interface Part {
  text: string;
  isSource: boolean;
}

/** Divides a text into the lines of a program that it quotes and those around them; joined by `\n` they are the text. */
export function partsOf(text: string): Part[] {
  if (text.length > CHARS_MAX || !MAY_QUOTE_SOURCE.test(text)) return [{ text, isSource: false }];
  const parts: { lines: string[]; isSource: boolean }[] = [];
  let isBelowPlace = false;
  for (const line of text.split('\n')) {
    const isSource = isBelowPlace ? line.startsWith(OF_PLACE) : NUMBERED.test(line);
    isBelowPlace = line.startsWith(PLACE);
    const last = parts.at(-1);
    if (last?.isSource === isSource) last.lines.push(line);
    else parts.push({ lines: [line], isSource });
  }
  return parts.map(({ lines, isSource }) => ({ text: lines.join('\n'), isSource }));
}
