import { firstFilledLine } from '../fingerprint/bounded-text.ts';
import { readHeader } from '../fingerprint/stack/exception-header.ts';
import type { MessageTrace } from './message-trace.ts';

/** The forms in which runtimes write the place of a failure into the one line that they print. */
const FORMS: readonly RegExp[] = [
  // Perl and PHP: `… at lib/Cart.pm line 42.`, `… in /srv/cart.php on line 42`.
  /^(?<said>.{1,1500}\S),? (?:at|in) (?<file>[^\s"']{1,300}\.\w{1,8}) (?:on )?line (?<line>\d{1,9})(?:, <\w{1,40}> (?:line|chunk) \d{1,12})?\.?$/,
  // Drupal: `… in Drupal\shop\Cart->total() (line 42 of /srv/Cart.php).`.
  /^(?<said>.{1,1500}) in [\w\\]{1,200}(?:(?:->|::)[\w{}\\]{1,100})?\(\) \(line (?<line>\d{1,9}) of (?<file>[^\s()]{1,300})\)\.?$/,
  // Swift: `Fatal error: …: file Shop/Cart.swift, line 42`, and `Shop/Cart.swift:42: Fatal error: …`.
  /^(?<said>.{1,1500}): file (?<file>[^\s"']{1,300}\.swift), line (?<line>\d{1,9})$/,
  /^(?<file>[^\s"':]{1,300}\.swift):(?<line>\d{1,9}): (?<said>(?:Fatal error|Precondition failed|Assertion failed)\b.{0,1500})$/,
  // QML and engines of scripts: `file:///opt/shop/Cart.qml:12: TypeError: …`.
  /^(?<file>(?:[a-z][a-z0-9+.-]{1,20}:\/\/)?[^\s"':]{1,300}\.(?:qml|m?js)):(?<line>\d{1,9})(?::\d{1,9})?: (?<said>[A-Z]\w{1,60}Error: .{1,1500})$/,
  // OCaml: `File "src/cart.ml", line 42, characters 2-8: Assertion failed`.
  /^(?<lead>.{0,200}?)File "(?<file>[^\s"]{1,300}\.mll?)", line (?<line>\d{1,9}), characters \d{1,9}-\d{1,9}: (?<said>.{1,1500})$/,
  // Rust before version 1.73: `thread 'main' panicked at '…', src/cart.rs:42:5`.
  /^(?:thread '[^']{0,100}' )?panicked at '(?<said>.{1,1500})', (?<file>[^\s"']{1,300}\.rs):(?<line>\d{1,9}):\d{1,9}$/,
  // Web views of Android, in the words of Cordova and of Chromium.
  /^(?<said>.{1,1500}) -- From line (?<line>\d{1,9}) of (?<file>[a-z][a-z0-9+.-]{1,20}:\/\/\S{1,600})$/,
  /^(?<file>[a-z][a-z0-9+.-]{1,20}:\/\/\S{1,600}): Line (?<line>\d{1,9}) : (?<said>.{1,1500})$/,
  /^\[[^\]]{0,60}CONSOLE\((?<line>\d{1,9})\)\] "(?<said>.{1,1500})", source: (?<file>[a-z][a-z0-9+.-]{1,20}:\/\/\S{1,600}) \(\d{1,9}\)$/,
];

/** Every line of these forms contains one of these. */
const HINT = /[ (]line \d|\.(?:swift|qml|m?js):\d|\.rs:\d|: Line \d|CONSOLE\(/;
const LEAD = /^(?:Uncaught |(?:\(in promise\) ))+/;
const NAMED_AS_ERROR = /(?:Error|Exception)(?:Wrapper)?$/;

/**
 * The place that the only line of a message names, as the trace of one call; null where it names none
 * (docs/contract/grouping.md 2.2).
 */
export function messagePlace(message: string): MessageTrace | null {
  if (!HINT.test(message)) return null;
  const line = firstFilledLine(message);
  if (line !== message.trim()) return null;
  for (const form of FORMS) {
    const groups = form.exec(line)?.groups;
    if (groups === undefined) continue;
    const { lead = '', said = '', file = '', line: number = '' } = groups;
    const stack = `    at ${file}:${number}`;
    const sentence = `${lead}${said}`;
    const header = readHeader(said.replace(LEAD, ''));
    return NAMED_AS_ERROR.test(header.type)
      ? { sentence: '', type: header.type, message: header.message, stack }
      : { sentence, type: '', message: '', stack };
  }
  return null;
}
