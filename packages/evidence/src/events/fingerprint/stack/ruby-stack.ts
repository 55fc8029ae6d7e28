import { forwardSlashes, modulePath, writtenFile } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

const FRAME = /^\s*(?:from\s+|#\d+\s+)?((?:[A-Za-z]:)?[^\s:][^:]*):(\d+):in [`'](.+?)'(?::\s(.*))?\s*$/;
/** Rails leaves the methods that it makes of templates out. */
const VIEW = /^\s*((?:[\w@.+-]{1,100}\/){1,30}[\w@.+-]{1,200}\.(?:erb|haml|slim|jbuilder|builder)):(\d+)\s*$/;
const CAUSE = /^\s*(?:Caused by\b:?|[Cc]ause:)\s*(.*)$/;

/** Ruby backtraces of every version (contract incidents 5.4.6, row ruby). */
export function readRubyStack(lines: readonly StackLine[]): LanguageStack {
  const found = new Map<number, FoundFrame>();
  lines.forEach(({ text }, index) => {
    if (!text.includes(':in ')) {
      const view = VIEW.exec(text);
      if (view?.[1] !== undefined)
        found.set(index, { frame: rubyFrame(view[1], view[2], '<main>'), said: '' });
      return;
    }
    const match = FRAME.exec(withoutEval(text));
    if (match?.[1] === undefined || match[3] === undefined) return;
    found.set(index, { frame: rubyFrame(match[1], match[2], match[3]), said: match[4] ?? '' });
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

interface FoundFrame {
  frame: ParsedFrame;
  /** The text after it: for the first frame of an exception, its message. */
  said: string;
}

/** `card declined (Shop::PaymentError)`, as `full_message` begins each exception. */
const SAID = /^(.*) \(([A-Z]\w*(?:::[A-Z]\w*)*)\)$/;

/** Evaluated code has the place where it was evaluated: `(eval at /srv/app/dsl.rb:5):2:in 'total'`. */
const EVAL = /^(\s*(?:from\s+)?)\(eval at (.{1,400}?):(\d{1,9})\):\d{1,9}(?=:in )/;

function withoutEval(text: string): string {
  return text.includes('(eval at ') ? text.replace(EVAL, '$1$2:$3') : text;
}

function readChain(lines: readonly StackLine[], found: ReadonlyMap<number, FoundFrame>): ParsedException[] {
  let current: ParsedException = { ...readHeader(found.has(0) ? '' : (lines[0]?.text ?? '')), frames: [] };
  const chain = [current];
  let headerPending = false;
  lines.forEach(({ text }, index) => {
    const at = found.get(index);
    if (at !== undefined) {
      const said = at.said === '' ? null : SAID.exec(at.said);
      if (said !== null && current.frames.length > 0) {
        // A cause follows the frames of what it caused.
        current = { type: '', message: '', frames: [] };
        chain.push(current);
      }
      if (said !== null && current.type === '') {
        current.type = said[2] ?? '';
        current.message = said[1] ?? '';
      }
      current.frames.push(at.frame);
      headerPending = false;
      return;
    }
    const cause = CAUSE.exec(text);
    if (cause !== null) {
      current = { ...readHeader(cause[1] ?? ''), frames: [] };
      chain.push(current);
      headerPending = cause[1] === '';
    } else if (headerPending && text.trim() !== '') {
      Object.assign(current, readHeader(text));
      headerPending = false;
    }
  });
  return chain;
}

const WRAPPER = /^(?:block (?:\(\d+ levels\) )?|rescue |ensure )in /;
const BODY = /^<(?:class:|module:|singleton class|top |main>)/;
/** The method that Rails makes of a template: `_app_views_carts_show_html_erb__1864927411234_47260`. */
const TEMPLATE = /^_\w{1,300}?_{2,3}\d{3,20}_\d{1,20}$/;

/** A frame by the name rules of Ruby. */
export function rubyFrame(file: string, line: string | undefined, label: string): ParsedFrame {
  return {
    module: modulePath(file),
    function: methodName(label),
    file: writtenFile(file),
    line: positionNumber(line),
    column: null,
    inApp: isInApp(file),
  };
}

function methodName(label: string): string {
  let name = label;
  for (let rest = name.replace(WRAPPER, ''); rest !== name; rest = name.replace(WRAPPER, '')) name = rest;
  if (BODY.test(name) || TEMPLATE.test(name)) return '<main>';
  return name.slice(1 + Math.max(name.lastIndexOf('#'), name.lastIndexOf('.'))) || name;
}

const RUBY_DIRECTORY = /^(?:uri:classloader:)?\/?org\/jruby\/|\/lib\/ruby\/|\/ruby\/\d|\/bin\//;

function isInApp(file: string): boolean {
  if (file.startsWith('<internal:')) return false;
  return !RUBY_DIRECTORY.test(forwardSlashes(file)) && !isVendorPath(file);
}
