import type { JsonObject } from '../../events/envelope/json.ts';
import { textOf } from './written-values.ts';

const NAME_CHARS_MAX = 1_024;

/** Function and module of a frame, as the readers of stacks name them (docs/contract/foreign-protocols.md 5.3). */
export function frameName(
  frame: JsonObject,
  language: string,
): { function: string | null; module: string | null } {
  const name = textOf(frame.function, NAME_CHARS_MAX) ?? textOf(frame.raw_function, NAME_CHARS_MAX);
  const module = textOf(frame.module, NAME_CHARS_MAX);
  if (name === null) return { function: offsetOf(frame), module };
  switch (language) {
    case 'javascript':
    case 'node':
      return { function: scriptName(name), module };
    case 'php':
      return module === null ? phpName(name) : { function: name, module };
    case 'csharp':
      return dotnetName(name, module);
    default:
      return { function: name, module };
  }
}

/**
 * Returns the place of a call without a name in its binary, in the form that tools for symbols require: the same in
 * every run of a build.
 */
function offsetOf({ instruction_addr: at, image_addr: from }: JsonObject): string | null {
  if (typeof at !== 'string' || typeof from !== 'string' || !HEX.test(at) || !HEX.test(from)) return null;
  const offset = BigInt(at) - BigInt(from);
  return offset < 0n ? null : `+0x${offset.toString(16)}`;
}

const HEX = /^0x[0-9a-f]{1,16}$/i;

/** Majors of the library write a function without a name in three ways. */
function scriptName(name: string): string {
  if (name === '?') return '<anonymous>';
  return name.endsWith('.?') ? `${name.slice(0, -1)}<anonymous>` : name;
}

/** `App\Cart::total`; the text inside the braces of a closure names the place where it was written. */
function phpName(name: string): { function: string; module: string | null } {
  const brace = name.indexOf('{');
  const at = (brace === -1 ? name : name.slice(0, brace)).lastIndexOf('::');
  if (at < 1) return { function: name, module: null };
  return { function: name.slice(at + 2), module: name.slice(0, at) };
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
