import { type ParserPlugin, parse } from '@babel/parser';

/** Functions of a script with what people call them, the outer ones first (docs/contract/source-maps.md 4.5). */
export interface FunctionTable {
  starts: Int32Array;
  ends: Int32Array;
  names: string[];
}

export const ANONYMOUS = '<anonymous>';
const NODES_MAX = 2_000_000;

/** The functions of a script. Throws where it cannot be parsed. @param isWhole false: without any error */
export function functionTable(text: string, plugins: ParserPlugin[], isWhole: boolean): FunctionTable {
  const { program } = parse(text, {
    sourceType: 'unambiguous',
    errorRecovery: isWhole,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowUndeclaredExports: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
    attachComment: false,
    plugins,
  });
  return collect(program);
}

/** The name of the innermost function around a place of the script; null outside of all. */
export function functionAt({ starts, ends, names }: FunctionTable, at: number): string | null {
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
  return null;
}

/** A node as far as this reader looks at it: the parser's own types name two hundred kinds. */
interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Half of all nodes, which have nothing below them or only types. */
const LEAVES: ReadonlySet<string> = new Set([
  ...['Identifier', 'PrivateName', 'ThisExpression', 'Super', 'Import', 'EmptyStatement', 'TemplateElement'],
  ...['NumericLiteral', 'StringLiteral', 'BooleanLiteral', 'NullLiteral', 'RegExpLiteral', 'BigIntLiteral'],
  ...['JSXText', 'JSXIdentifier', 'TypeAnnotation', 'TSTypeAnnotation', 'TSTypeAliasDeclaration'],
  'TSInterfaceDeclaration',
]);

function mayHoldFunctions(node: Node): boolean {
  // Decorators of parameters are members of their names.
  return !LEAVES.has(node.type) || node.decorators !== undefined;
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
  /** The place from which on a function at the node counts. */
  from: number;
  /** The name that the node around it gives it. */
  given: string | null;
  /** The name of the class around it. */
  className: string | null;
  /** The name of the nearest function around it that has one. */
  outer: string | null;
}

function collect(program: unknown): FunctionTable {
  const found: { start: number; end: number; name: string }[] = [];
  const open: Visit[] = isNode(program)
    ? [{ node: program, from: program.start, given: null, className: null, outer: null }]
    : [];
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
      found.push({ start: visit.from, end: node.end, name: name ?? anonymousIn(outer) });
      outer = name ?? outer;
      className = node.type === 'ArrowFunctionExpression' ? className : null;
    }
    for (const key of Object.keys(node)) {
      if (key === 'loc' || key === 'extra' || key === 'errors') continue;
      const value = node[key];
      if (typeof value !== 'object' || value === null) continue;
      const children: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const child of children) {
        if (isNode(child) && mayHoldFunctions(child))
          open.push({
            ...{ node: child, from: startOf(node, key, child), className, outer },
            given: givenName(node, key, child, visit, className),
          });
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

/**
 * Returns the place from which on a child counts, if it is a function: that of the name to which it is given. Engines report
 * a failure in a parameter at the start of the function, where a bundler maps the name alone; giving a name cannot fail.
 */
function startOf(parent: Node, key: string, child: Node): number {
  const name = key === 'init' ? parent.id : key === 'value' && parent.computed !== true ? parent.key : null;
  return FUNCTIONS.has(child.type) && isNode(name) ? name.start : child.start;
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
