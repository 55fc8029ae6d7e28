import { readHeader } from '../fingerprint/stack/exception-header.ts';

/** The error that a report announces in a sentence. */
interface AnnouncedError {
  /** Empty where the report names none. */
  type: string;
  message: string;
}

/** Lines of a report that are looked at. */
const LINES_MAX = 60;

/** The error of a report whose first lines name none in the form `Type: message`; null for any other text. */
export function announcedError(lines: readonly string[]): AnnouncedError | null {
  const text = lines.slice(0, LINES_MAX).map((line) => line.trim());
  for (const read of [flutterError, appleError, djangoError, erlangError, rlangError, ginError]) {
    const error = read(text);
    if (error !== null) return error;
  }
  return null;
}

/** `The following _TypeError was thrown building Cart:` below a banner, and the message on the next line. */
function flutterError(lines: readonly string[]): AnnouncedError | null {
  const banner = lines.findIndex((line) => BANNER_OF_FLUTTER.test(line));
  if (banner === -1) return null;
  const at = lines.findIndex((line, index) => index > banner && FOLLOWING.test(line));
  const named = FOLLOWING.exec(lines[at] ?? '')?.[1] ?? '';
  const message = lines.slice(at + 1).find((line) => line !== '') ?? '';
  if (at === -1 || message === '') return null;
  return { type: /^(?:assertion|message)$/.test(named) ? '' : named, message };
}

const BANNER_OF_FLUTTER = /^[═=]{2,4}╡ EXCEPTION CAUGHT BY /;
const FOLLOWING = /^The following (\w{1,100})(?:<[^>]{1,100}>)?(?: object)? was thrown\b.{0,400}:$/;

/** `*** Terminating app due to uncaught exception 'NSRangeException', reason: '…'`. */
function appleError(lines: readonly string[]): AnnouncedError | null {
  for (const line of lines) {
    const [, type, message] = line.includes(OF_APPLE) ? (REASON.exec(line) ?? []) : [];
    if (type !== undefined && message !== undefined) return { type, message };
  }
  return null;
}

const OF_APPLE = 'due to uncaught exception ';
const REASON = /due to uncaught exception '?([\w.:]{1,200})'?, reason: '?(.{1,2000}?)'?$/;

/** The last lines of the page that Django shows to developers. */
function djangoError(lines: readonly string[]): AnnouncedError | null {
  const at = lines.findIndex((line) => line.startsWith('Exception Type: '));
  const type = /^Exception Type: ([\w.]{1,200})(?: at \S{1,2000})?$/.exec(lines[at] ?? '')?.[1];
  const message = /^Exception Value: {0,2}(.{0,2000})$/.exec(lines[at + 1] ?? '')?.[1];
  if (type === undefined || message === undefined) return null;
  return { type, message: message || (lines[at + 2] ?? '') };
}

/** `exception error: no match of right hand side value []` in a report of a process of Erlang. */
function erlangError(lines: readonly string[]): AnnouncedError | null {
  const line = lines.find((each) => OF_ERLANG.test(each));
  return line === undefined ? null : { type: '', message: line.replace(OF_ERLANG, '') };
}

const OF_ERLANG = /^(?:\*\* )?exception (?:error|exit|throw): (?=\S)/;

/** `Error in `total()`:`, and `! Can't find …` below. */
function rlangError(lines: readonly string[]): AnnouncedError | null {
  const at = lines.findIndex((line) => line.startsWith('Error in `') && line.endsWith(':'));
  const message = at === -1 ? undefined : lines.slice(at + 1).find((line) => line.startsWith('! '));
  return message === undefined ? null : { type: '', message: readHeader(message.slice(2)).message };
}

/** `panic recovered:`, the request, and the error above the first place. */
function ginError(lines: readonly string[]): AnnouncedError | null {
  if (!lines.some((line) => line.endsWith('panic recovered:'))) return null;
  const at = lines.findIndex((line) => PLACE_OF_GO.test(line));
  const message = lines[at - 1] ?? '';
  return at < 1 || message === '' ? null : { type: '', message };
}

const PLACE_OF_GO = /^\/\S{1,400}\.go:\d{1,9} \(0x[0-9a-f]{1,16}\)$/;
