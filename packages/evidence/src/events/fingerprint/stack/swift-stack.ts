import { forwardSlashes, modulePath, writtenFile } from '../file-path.ts';
import type { LanguageStack, ParsedFrame } from './parsed-stack.ts';
import type { StackLine } from './stack-lines.ts';
import { readSwiftFrame, type SwiftFrameLine } from './swift-frame-line.ts';
import { isVendorPath } from './vendor-path.ts';

/** Swift and Objective-C stacks (contract incidents 5.4.6, row swift). */
export function readSwiftStack(lines: readonly StackLine[]): LanguageStack {
  const frames: ParsedFrame[] = [];
  for (const { text, indent } of lines) {
    const found = readSwiftFrame(text, indent);
    if (found !== null) frames.push(swiftFrame(found));
  }
  const message = lines[0]?.text ?? '';
  return { frameLineCount: frames.length, readChain: () => [{ type: '', message, frames }] };
}

/** A frame by the name rules of Swift. */
export function swiftFrame({ image, symbol, file, line }: SwiftFrameLine): ParsedFrame {
  return {
    module: image ?? modulePath(file ?? ''),
    function: symbolName(symbol),
    file: file === null ? null : writtenFile(file),
    line,
    column: null,
    inApp: isInApp(image, file),
  };
}

const WRAPPER =
  /^(?:(?:implicit )?closure #\d+.*? in |partial apply(?: forwarder)? for |(?:generic |function signature )?specialization <.*?> of |specialized |(?:dispatch |vtable |curry )?thunk (?:of|for) |protocol witness for |merged |@(?:non)?objc |\(\d+\) (?:suspend|await) resume partial function for )/;
const WRAPPERS_MAX = 16;

/**
 * The symbol without what the compiler wrapped around it; argument labels stay. On Linux the address follows
 * the marks in brackets, where the pattern takes it for a part of the symbol.
 */
function symbolName(symbol: string): string {
  let name = symbol.replace(/^(?:\S{1,200}\s{1,60})?0x[0-9a-fA-F]+\s+/, '');
  for (let removed = 0; removed < WRAPPERS_MAX; removed++) {
    const rest = name.replace(WRAPPER, '');
    if (rest === name || rest === '') break;
    name = rest;
  }
  return withoutResult(withoutGenericArguments(name.replace(/ in conformance .*$/, ''))) || symbol;
}

/** `<` after a name opens generic arguments; elsewhere it is an operator. Unbalanced text stays. */
function withoutGenericArguments(name: string): string {
  if (!name.includes('<')) return name;
  let kept = '';
  let depth = 0;
  for (let index = 0; index < name.length; index++) {
    const char = name.charAt(index);
    if (char === '<' && (depth > 0 || /[\w)]/.test(name.charAt(index - 1)))) depth++;
    else if (char === '>' && depth > 0 && name.charAt(index - 1) !== '-') depth--;
    else if (depth === 0) kept += char;
  }
  return depth === 0 ? kept : name;
}

/** Cuts ` -> Type` and the type of a getter, ` : Type`, outside of parentheses. */
function withoutResult(name: string): string {
  let depth = 0;
  for (let index = 0; index < name.length; index++) {
    const char = name.charAt(index);
    if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (char === ' ' && depth === 0) {
      if (name.startsWith('-> ', index + 1) || name.startsWith(': ', index + 1)) return name.slice(0, index);
    }
  }
  return name;
}

const SYSTEM_IMAGE =
  /^(?:lib(?:swift|system|dispatch|objc|c\+\+|pthread|dyld).*|dyld|UIKit(?:Core)?|SwiftUI(?:Core)?|Foundation|CoreFoundation|CFNetwork|QuartzCore|GraphicsServices|CoreData|Combine|Network|Security|AppKit|Swift|XCTest|WebKit|JavaScriptCore|AttributeGraph|BackBoardServices|FrontBoardServices|\?\?\?)$/;
const SYSTEM_FILE = /\.build\/checkouts|usr\/lib|System\/Library/;

function isInApp(image: string | null, file: string | null): boolean {
  if (image !== null && SYSTEM_IMAGE.test(image)) return false;
  return file === null || !(SYSTEM_FILE.test(forwardSlashes(file)) || isVendorPath(file));
}
