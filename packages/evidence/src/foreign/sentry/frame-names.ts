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
  if (name === null) return { function: null, module };
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

/** Majors of the library write a function without a name in three ways. */
function scriptName(name: string): string {
  if (name === '?') return '<anonymous>';
  return name.endsWith('.?') ? `${name.slice(0, -1)}<anonymous>` : name;
}

/** `App\Cart::total`; what stands inside the braces of a closure names where it was written. */
function phpName(name: string): { function: string; module: string | null } {
  const brace = name.indexOf('{');
  const at = (brace === -1 ? name : name.slice(0, brace)).lastIndexOf('::');
  if (at < 1) return { function: name, module: null };
  return { function: name.slice(at + 2), module: name.slice(0, at) };
}

/**
 * `async Task<int> Cart.Checkout(int count)`: the library can write signatures. The class may stand before the name
 * once more.
 */
function dotnetName(name: string, module: string | null): { function: string; module: string | null } {
  const open = name.indexOf('(');
  const head = (open > 0 ? name.slice(0, open) : name).trimEnd();
  let depth = 0;
  let start = 0;
  for (let at = 0; at < head.length; at += 1) {
    const mark = head[at];
    if (mark === '<' || mark === '[') depth += 1;
    else if (mark === '>' || mark === ']') depth -= 1;
    else if (mark === ' ' && depth === 0) start = at + 1;
  }
  return { function: head.slice(start) || name, module: module === null ? null : ownerName(module) };
}

/** Without the assembly and what follows: `Shop.Cart, Shop`. */
function ownerName(module: string): string {
  const comma = module.indexOf(', ');
  return comma > 0 ? module.slice(0, comma) : module;
}
