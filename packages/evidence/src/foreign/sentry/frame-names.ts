import type { JsonObject } from '../../events/envelope/json.ts';
import type { BinaryPlace } from './frame-images.ts';
import { textOf } from './written-values.ts';

const NAME_CHARS_MAX = 1_024;

/** Function and module of a frame, as the readers of stacks name them (docs/contract/foreign-protocols.md 5.3). */
export function frameName(
  frame: JsonObject,
  language: string,
  place: BinaryPlace | null,
): { function: string | null; module: string | null } {
  const name = writtenName(frame);
  const module = textOf(frame.module, NAME_CHARS_MAX);
  if (name === null || (place !== null && isHidden(name))) {
    return { function: place === null ? null : `+0x${place.offset.toString(16)}`, module };
  }
  switch (language) {
    case 'javascript':
    case 'node':
      return { function: scriptName(name), module };
    case 'php':
      return module === null ? phpName(name) : { function: name, module };
    case 'csharp':
      return dotnetName(name, module);
    case 'crystal':
      return { function: crystalName(name), module };
    default:
      return { function: name, module };
  }
}

function writtenName(frame: JsonObject): string | null {
  return textOf(frame.function, NAME_CHARS_MAX) ?? textOf(frame.raw_function, NAME_CHARS_MAX);
}

/** Returns true for a frame that only its place in the binary can name. */
export function isNameless(frame: JsonObject): boolean {
  const name = writtenName(frame);
  return name === null || isHidden(name);
}

/** Words for an unknown name, or for one that was removed from a binary. */
function isHidden(name: string): boolean {
  return name === '<redacted>' || name === '<unknown>' || name === '???';
}

/** Majors of the library write a function without a name in three ways. */
function scriptName(name: string): string {
  if (name === '?') return '<anonymous>';
  return name.endsWith('.?') ? `${name.slice(0, -1)}<anonymous>` : name;
}

/**
 * `App\Cart::total`; the text inside the braces of a closure names the place where it was written. A class without a name
 * is called by its file, which the frame has, and stays with the name: the class is no place that two files share.
 */
function phpName(name: string): { function: string; module: string | null } {
  const brace = name.indexOf('{');
  const at = (brace === -1 ? name : name.slice(0, brace)).lastIndexOf('::');
  if (at < 1) return { function: name, module: null };
  const [owner = '', file] = name.slice(0, at).split('\0', 2);
  if (file !== undefined) return { function: owner + name.slice(at), module: null };
  return { function: name.slice(at + 2), module: owner };
}

/** Methods are also called `<`, `<=`, `<=>` and `<<`; the types follow them as well. */
const OPERATOR_OF_CRYSTAL = /[#.](?:<=>|<<|<=|<)(?=[<:]|$)/;

/** `Shop::Cart#total<Int32>:Int32`, with the types for which it was compiled. */
function crystalName(name: string): string {
  const operator = OPERATOR_OF_CRYSTAL.exec(name);
  const start = operator === null ? 0 : operator.index + operator[0].length;
  const types = name.indexOf('<', start);
  const head = types > 0 ? name.slice(0, types) : name;
  return head.replace(/([^:]):[^:#]{1,200}$/, '$1');
}

/**
 * `async Task<int> Checkout(int count)`: the library can write signatures. Unity writes `Shop.Cart:Checkout ()`, and
 * the class can precede the name though it is the module, too.
 */
function dotnetName(name: string, module: string | null): { function: string; module: string | null } {
  const owner = module === null ? null : ownerName(module);
  const open = name.indexOf('(');
  const head = lastWord((open > 0 ? name.slice(0, open) : name).trimEnd());
  const colon = head.indexOf(':');
  if (colon > 0 && head[colon + 1] !== ':') {
    return { function: head.slice(colon + 1), module: head.slice(0, colon) };
  }
  return { function: withoutOwner(head, owner) || name, module: owner };
}

/** The class can precede the name with its namespace or without: `CartController.Post` of `Shop.CartController`. */
function withoutOwner(head: string, owner: string | null): string {
  if (owner === null) return head;
  if (head.startsWith(`${owner}.`)) return head.slice(owner.length + 1);
  const dot = head.indexOf('.');
  return dot > 0 && owner.endsWith(`.${head.slice(0, dot)}`) ? head.slice(dot + 1) : head;
}

/** Returns the text after the last blank that is outside of brackets. */
function lastWord(text: string): string {
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '<' || mark === '[') depth += 1;
    else if (mark === '>' || mark === ']') depth -= 1;
    else if (mark === ' ' && depth === 0) start = at + 1;
  }
  return text.slice(start);
}

/** Without the assembly and what follows: `Shop.Cart, Shop`. */
function ownerName(module: string): string {
  const comma = module.indexOf(', ');
  return comma > 0 ? module.slice(0, comma) : module;
}
