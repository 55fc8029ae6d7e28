import { type ParserPlugin, parse } from '@babel/parser';

/** Functions of a text with what people call them, the outer ones first (docs/contract/source-maps.md 4.5). */
export interface FunctionTable {
  starts: Int32Array;
  ends: Int32Array;
  names: string[];
  /** Starts and ends of the scripts of a component; null where all of the text is script. */
  scripts: readonly (readonly [start: number, end: number])[] | null;
}

/** Larger texts are not parsed. */
export const PARSED_CHARS_MAX = 524_288;
export const TOP_LEVEL = '<module>';
/** The name of the part of a component outside of its scripts. */
export const TEMPLATE = '<template>';
const ANONYMOUS = '<anonymous>';
const NODES_MAX = 2_000_000;

/** The functions of a source; null for one that is too large, of another language, or cannot be parsed. */
export function functionTable(file: string, text: string): FunctionTable | null {
  if (text.length > PARSED_CHARS_MAX) return null;
  const script = scriptOf(file, text);
  if (script === null) return null;
  try {
    const { program } = parse(script.text, {
      sourceType: 'unambiguous',
      errorRecovery: true,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowUndeclaredExports: true,
      allowNewTargetOutsideFunction: true,
      allowSuperOutsideMethod: true,
      attachComment: false,
      plugins: script.plugins,
    });
    return { ...collect(program), scripts: script.blocks };
  } catch {
    return null;
  }
}

/** The name of the innermost function around a place of the text. */
export function functionAt({ starts, ends, names, scripts }: FunctionTable, at: number): string {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  for (let index = low - 1; index >= 0; index -= 1) {
    if ((ends[index] ?? 0) > at) return names[index] ?? ANONYMOUS;
  }
  const isTemplate = scripts !== null && !scripts.some(([start, end]) => at >= start && at <= end);
  return isTemplate ? TEMPLATE : TOP_LEVEL;
}

const EXTENSION = /\.([a-z]{1,8})$/i;
const OPENING = /<script\b[^>]{0,500}>/gi;
const CLOSING = /<\/script\s*>/gi;
const COMPONENT: ParserPlugin[] = ['typescript', 'jsx', 'decorators-legacy'];

interface Script {
  text: string;
  plugins: ParserPlugin[];
  blocks: FunctionTable['scripts'];
}

function scriptOf(file: string, text: string): Script | null {
  const extension = EXTENSION.exec(file)?.[1]?.toLowerCase() ?? '';
  switch (extension) {
    case 'ts':
    case 'mts':
    case 'cts':
      return { text, plugins: ['typescript', 'decorators-legacy'], blocks: null };
    case 'tsx':
      return { text, plugins: COMPONENT, blocks: null };
    case 'vue':
    case 'svelte':
      // Loaders of webpack hand the script block on by itself.
      return /^\s*</.test(text) || scriptBlocks(text).length > 0
        ? { ...blocksOf(text), plugins: COMPONENT }
        : { text, plugins: COMPONENT, blocks: null };
    case 'astro':
      return { ...frontMatterOf(text), plugins: COMPONENT };
    case 'css':
    case 'scss':
    case 'sass':
    case 'less':
    case 'json':
    case 'html':
    case 'wasm':
      return null;
    default:
      return {
        text,
        plugins: [/@flow\b/.test(text.slice(0, 2000)) ? 'flow' : 'jsx', 'jsx', 'decorators-legacy'],
        blocks: null,
      };
  }
}

/** The places of script blocks. One expression over a whole block would search the rest of the text at each opening. */
function scriptBlocks(text: string): [start: number, end: number][] {
  const blocks: [number, number][] = [];
  OPENING.lastIndex = 0;
  for (let open = OPENING.exec(text); open !== null; open = OPENING.exec(text)) {
    CLOSING.lastIndex = OPENING.lastIndex;
    const close = CLOSING.exec(text);
    if (close === null) break;
    blocks.push([OPENING.lastIndex, close.index]);
    OPENING.lastIndex = CLOSING.lastIndex;
  }
  return blocks;
}

/** The script blocks of a component, with everything else as blanks, so that places stay. */
function blocksOf(text: string): Pick<Script, 'text' | 'blocks'> {
  const blocks = scriptBlocks(text);
  let made = '';
  for (const [start, end] of blocks) {
    made += blank(text.slice(made.length, start)) + text.slice(start, end);
  }
  return { text: made + blank(text.slice(made.length)), blocks };
}

/** Returns the text between the fences at the beginning, and the script blocks after it. */
function frontMatterOf(text: string): Pick<Script, 'text' | 'blocks'> {
  const [whole, fence = '', body = ''] = /^(\s*---\r?\n)([\s\S]*?)\r?\n---/.exec(text) ?? [];
  if (whole === undefined) return blocksOf(text);
  const rest = blocksOf(blank(whole) + text.slice(whole.length));
  return {
    text: blank(fence) + body + rest.text.slice(fence.length + body.length),
    blocks: [[fence.length, fence.length + body.length], ...(rest.blocks ?? [])],
  };
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

/** A node as far as this reader looks at it: the parser's own types name two hundred kinds. */
interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value &&
    typeof value.start === 'number' &&
    'end' in value &&
    typeof value.end === 'number'
  );
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
  'StaticBlock',
]);

interface Visit {
  node: Node;
  /** The name that its position gives it. */
  given: string | null;
  /** The name of the class around it. */
  className: string | null;
  /** The name of the nearest function around it that has one. */
  outer: string | null;
}

function collect(program: unknown): Omit<FunctionTable, 'scripts'> {
  const found: { start: number; end: number; name: string }[] = [];
  const open: Visit[] = isNode(program) ? [{ node: program, given: null, className: null, outer: null }] : [];
  let nodes = 0;
  // No recursion: a text decides how deep its nodes lie.
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    nodes += 1;
    if (nodes > NODES_MAX) break;
    const { node } = visit;
    let { className, outer } = visit;
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      className = ownName(node) ?? visit.given;
    } else if (FUNCTIONS.has(node.type)) {
      const name = functionName(visit);
      found.push({ start: node.start, end: node.end, name: name ?? anonymousIn(outer) });
      outer = name ?? outer;
      className = node.type === 'ArrowFunctionExpression' ? className : null;
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === 'loc' || key === 'extra' || key === 'errors') continue;
      const children: unknown[] = Array.isArray(value) ? value : [value];
      for (const child of children) {
        if (isNode(child))
          open.push({ node: child, given: givenName(node, key, child, visit, className), className, outer });
      }
    }
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return {
    starts: Int32Array.from(found, ({ start }) => start),
    ends: Int32Array.from(found, ({ end }) => end),
    names: found.map(({ name }) => name),
  };
}

function anonymousIn(outer: string | null): string {
  return outer === null ? ANONYMOUS : `${outer}.${ANONYMOUS}`;
}

function functionName({ node, given, className }: Visit): string | null {
  switch (node.type) {
    case 'ClassMethod':
    case 'ClassPrivateMethod': {
      if (node.kind === 'constructor') return `new ${className ?? ANONYMOUS}`;
      return member(className, keyName(node));
    }
    case 'StaticBlock':
      return member(className, '<static>');
    case 'ObjectMethod':
      return keyName(node);
    default:
      return ownName(node) ?? given;
  }
}

function member(className: string | null, key: string | null): string | null {
  if (key === null) return null;
  return className === null ? key : `${className}.${key}`;
}

/** The name that a declaration or an expression has itself. */
function ownName(node: Node): string | null {
  return isNode(node.id) && node.id.type === 'Identifier' ? String(node.id.name) : null;
}

/** The key of a property or a method. */
function keyName({ key, computed }: Node): string | null {
  if (!isNode(key)) return null;
  if (key.type === 'PrivateName') return isNode(key.id) ? `#${String(key.id.name)}` : null;
  if (key.type === 'Identifier') return computed === true ? null : String(key.name);
  if (key.type === 'StringLiteral' || key.type === 'NumericLiteral') return String(key.value);
  return null;
}

/**
 * Returns the name that the node around it gives a child; names pass through calls that wrap a function (`memo`,
 * `useCallback`).
 */
function givenName(
  parent: Node,
  key: string,
  child: Node,
  visit: Visit,
  className: string | null,
): string | null {
  switch (parent.type) {
    case 'VariableDeclarator':
      return key === 'init' ? ownName(parent) : null;
    case 'AssignmentExpression':
      return key === 'right' ? targetName(parent.left) : null;
    case 'AssignmentPattern':
      return key === 'right' ? targetName(parent.left) : null;
    case 'ObjectProperty':
      return key === 'value' ? keyName(parent) : null;
    case 'ClassProperty':
    case 'ClassPrivateProperty':
    case 'ClassAccessorProperty':
      return key === 'value' ? member(className, keyName(parent)) : null;
    case 'ExportDefaultDeclaration':
      return key === 'declaration' ? 'default' : null;
    case 'CallExpression': {
      const [first] = Array.isArray(parent.arguments) ? parent.arguments : [];
      return key === 'arguments' && first === child ? visit.given : null;
    }
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TypeCastExpression':
      return key === 'expression' ? visit.given : null;
    default:
      return null;
  }
}

function targetName(target: unknown): string | null {
  if (!isNode(target)) return null;
  if (target.type === 'Identifier') return String(target.name);
  if (target.type !== 'MemberExpression') return null;
  return keyName({ ...target, key: target.property });
}
