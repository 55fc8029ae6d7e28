import { positionNumber } from './stack-lines.ts';

export interface SwiftFrameLine {
  /** Name of the binary; null in the form that names a source file instead. */
  image: string | null;
  symbol: string;
  file: string | null;
  line: number | null;
}

/** The contract's patterns A and B, with the line number of A kept. */
const IMAGE_FRAME = /^\s*\d+\s+(\S+)\s+0x[0-9a-fA-F]+\s+(.+?)\s\+\s\d+\s*$/;
const IMAGE_FRAME_WITH_FILE = /^\s*\d+\s+(\S+)\s+0x[0-9a-fA-F]+\s+(.+?)\s\+\s\d+(?:\s\((.+?):(\d+)\))?\s*$/;
const SOURCE_FRAME =
  /^\s*\d+\s+(?:0x[0-9a-fA-F]+\s+)?(?:\[[^\]]*\]\s+)*(?:[\d.]+\s+)?(.+?)(?: \+ \d+)?(?: in [\w.-]+)? at ((?:\/|[A-Za-z]:)[^:]+\.swift):(\d+)(?::\d+)?\s*$/d;

/**
 * Reads a frame of an Apple crash log or of the Swift runtime on other systems. What every match needs is
 * looked for first: the patterns alone walk a hostile line many times before they fail.
 */
export function readSwiftFrame(text: string, indent: number): SwiftFrameLine | null {
  const first = text.charCodeAt(indent);
  if (!(first >= 0x30 && first <= 0x39)) return null;
  return readImageFrame(text) ?? readSourceFrame(text);
}

function readImageFrame(text: string): SwiftFrameLine | null {
  const hasOffset = /\s\+\s\d+\s*$/.test(text);
  const hasFile = /:\d+\)\s*$/.test(text) && /\s\+\s\d+\s\(.+:\d+\)\s*$/.test(text);
  if (!hasOffset && !hasFile) return null;
  const match = (hasFile ? IMAGE_FRAME_WITH_FILE : IMAGE_FRAME).exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const offset =
    match[1] !== '???' && /^0x[0-9a-fA-F]+$/.test(match[2]) ? /\d{1,15}(?=\s*$)/.exec(text)?.[0] : undefined;
  // Without symbols there is the address of the image in place of a name.
  const symbol = offset === undefined ? match[2] : `${match[1]}+0x${Number(offset).toString(16)}`;
  return { image: match[1], symbol, file: match[3] ?? null, line: positionNumber(match[4]) };
}

function readSourceFrame(text: string): SwiftFrameLine | null {
  const place = /\.swift:\d+(?::\d+)?\s*$/.exec(text);
  if (place === null) return null;
  // The path holds no colon but that of a drive, and a character at least before its ending.
  const pathMin = text.lastIndexOf(':', place.index - 1) + 1;
  const slashAt = text.lastIndexOf(' at /', place.index - ' at /x'.length);
  const driveAt = pathMin - ' at X:'.length;
  const hasDrive = pathMin < place.index && driveAt > 0 && / at [A-Za-z]:/.test(text.slice(driveAt, pathMin));
  const hasSlash = slashAt > 0 && slashAt + ' at '.length >= pathMin;
  if (!hasSlash && !hasDrive) return null;
  const masked = maskedSource(text, pathMin, hasSlash ? slashAt : driveAt);
  const match = SOURCE_FRAME.exec(masked);
  const [, symbol, file] = match?.indices ?? [];
  if (symbol === undefined || file === undefined) return null;
  return {
    image: null,
    symbol: text.slice(...symbol),
    file: text.slice(...file),
    line: positionNumber(match?.[3]),
  };
}

/**
 * The line with what cannot be part of a match made plain, at the same length: an ` at /` before another colon
 * and the brackets behind the last ` at `. The pattern would try each of them again and again.
 */
function maskedSource(text: string, pathMin: number, lastAt: number): string {
  const headEnd = Math.max(0, Math.min(pathMin - 2, lastAt));
  const head = text.slice(0, headEnd).replace(/ at (?=\/|[A-Za-z]:)/g, ' aT ');
  return head + text.slice(headEnd, lastAt) + text.slice(lastAt).replace(/[[\]]/g, '|');
}
