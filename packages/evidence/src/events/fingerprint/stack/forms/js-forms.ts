import type { JsFrameLine } from '../js-frame-line.ts';
import { positionNumber } from '../stack-lines.ts';

/** Frames of JavaScript engines beside those of V8 and of Firefox. */
const FORMS: readonly RegExp[] = [
  // Hermes, of bytecode.
  /^\s*at (?<fn>[^()]{0,300}?) ?\((?<offset>address at )(?<file>[^():]{1,300}):(?<line>\d{1,9}):(?<col>\d{1,9})\)\s*$/,
  // Hermes before version 0.7, in what Android writes of it.
  /^\s*(?<fn>[^()@]{0,300}?) \((?<offset>address at)(?<file>)@(?<line>\d{1,9}):(?<col>\d{1,9})\)?\s*$/,
  // NativeScript: the first call without its word, and without the bracket that closes.
  /^\s*(?:at )?(?<fn>[^\s()]{0,300})\((?<file>[a-z][a-z0-9+.-]{1,20}:\/\/[^\s()]{1,600}?):(?<line>\d{1,9}):(?<col>\d{1,9})\)?\s*$/,
  /^\s*at (?<fn>[^\s()]{1,300})\((?<file>\[native code\])\)?\s*$/,
  // V8 in an app of React Native.
  /^\s*at (?:async )?(?<fn>[^()]{1,300}?) ?\((?<file>[\w.-]{1,200}\.(?:bundle|jsbundle|hbc)):(?<line>\d{1,9}):(?<col>\d{1,9})\)\s*$/,
  // V8 with a blob, and V8 without a blank before the place.
  /^\s*at (?:async )?(?:(?<fn>[^()]{1,300}) ?\()?(?<file>blob:[^\s()]{1,600}?):(?<line>\d{1,9}):(?<col>\d{1,9})\)?\s*$/,
  /^\s*at (?:async )?(?<fn>[^\s()]{1,300})\((?<file>(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\/)[^\s()]{1,600}?):(?<line>\d{1,9})(?::(?<col>\d{1,9}))?\)\s*$/,
  // JavaScriptCore in an app: `name@12:345`, `name@main.jsbundle:1:2`, and native calls.
  /^\s*(?<fn>[\w$.<>/* ]{0,300})@(?<file>[^\s:@/]{0,200}?):?(?<line>\d{1,9}):(?<col>\d{1,9})\s*$/,
  /^\s*(?<fn>[\w$.<>/* ]{0,300})@(?<file>\[native code\])\s*$/,
  // Safari and Firefox with blobs and with names that hold blanks.
  /^\s*(?<fn>[^@]{0,300})@(?<file>(?:blob:)?(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\/)[^\s]{1,600}?(?: line \d{1,9} > (?:eval|Function|injectedScript)){0,4}):(?<line>\d{1,9})(?::(?<col>\d{1,9}))?\s*$/,
  // Components of Vue: `---> <CartList> at src/CartList.vue`, `at <CartList items=[] >`.
  /^\s*---> <(?<fn>[A-Z]\w{0,100})>(?: at (?<file>[^\s:]{1,300}\.vue))?\s*$/,
  /^\s*<(?<fn>[A-Z]\w{0,100})> at (?<file>[^\s:]{1,300}\.vue)\s*$/,
  /^\s*at <(?<fn>[A-Z]\w{0,100})(?: [^\n]{0,800})?>\s*$/,
  // Safari without a name.
  /^\s*(?<fn>)(?<file>(?:blob:)?(?:https?|file|capacitor|ionic|app|safari-\w{1,20}):\/\/[^\s()]{1,600}?):(?<line>\d{1,9}):(?<col>\d{1,9})\s*$/,
];

/** Every line of these forms contains one of these marks. */
const MARKS = [
  '@',
  '://',
  'address at ',
  '(/',
  'blob:',
  'bundle:',
  '.hbc:',
  '[native code]',
  '---> <',
  'at <',
  '.vue',
];

/** Returns the content of a line of these forms; null for every other line. */
export function readMoreJs(text: string): JsFrameLine | null {
  if (!MARKS.some((mark) => text.includes(mark))) return null;
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const { fn = '', file = '', line, col, offset } = groups;
    return {
      function: engineName(fn),
      file: file === '[native code]' ? 'native' : file.replace(/^blob:/, ''),
      line: positionNumber(line),
      column: positionNumber(col),
      ...(offset === undefined ? {} : { isOffset: true as const }),
    };
  }
  return null;
}

/** Code at the top of a file has no name, whatever the engine calls it. */
function engineName(written: string): string {
  const name = written.trim().replace(/^(?:.{1,60}\*)/, '');
  return /^(?:(?:global|module|eval) code|Anonymous)$/.test(name) ? '' : name;
}
