import { parseAst } from 'vitest/node';

/** What gives a time: of a clock, or of the processor. */
const CLOCKS = /^(?:now|hrtime|bigint|cpuUsage|threadCpuUsage|resourceUsage)$/;

/**
 * Where a test's verdict depends on how long something took: an expectation of a difference between two readings of a
 * clock, or of a name that was given one. A deadline that is waited for is none, nor is a time that is compared with
 * another by its order.
 * @returns the text of each such expectation
 */
export function expectationsOfTime(source: string): string[] {
  const program = parseAst(source, { lang: 'ts' });
  const readings = new Set<string>();
  const durations = new Set<string>();
  // A name may be used above where it is given its value, and pass it on.
  for (let known = -1; known !== readings.size + durations.size; ) {
    known = readings.size + durations.size;
    visit(program, note);
  }
  const found: string[] = [];
  visit(program, (node) => {
    if (node.type !== 'CallExpression' || nameOf(node.callee) !== 'expect') return;
    if (holds(node.arguments, (each) => isDifference(each, 'some') || isNamed(each, durations)))
      found.push(source.slice(Number(node.start), Number(node.end)));
  });
  return found;

  function note(node: Node): void {
    const [target, value] = assigned(node);
    const name = nameOf(target);
    if (name === null) return;
    if (holds(value, (each) => isDifference(each, 'every') || isNamed(each, durations))) durations.add(name);
    else if (isReading(value) && isNode(target) && target.type === 'Identifier') readings.add(name);
  }

  function isReading(value: unknown): boolean {
    return holds(value, (each) => isClock(each) || (each.type === 'Identifier' && isNamed(each, readings)));
  }

  function isAsked(value: unknown): boolean {
    return holds(value, isClock);
  }

  /** Of two readings; in an expectation the other side may be any time. */
  function isDifference(node: Node, sides: 'some' | 'every'): boolean {
    return (
      node.type === 'BinaryExpression' &&
      node.operator === '-' &&
      [node.left, node.right][sides](sides === 'some' ? isAsked : isReading)
    );
  }
}

interface Node extends Record<string, unknown> {
  type: string;
}

/** What gets a value, and the value: a variable, a property, what is pushed into a list, what a function returns. */
function assigned(node: Node): readonly [target: unknown, value: unknown] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [node.id, node.init];
    case 'AssignmentExpression':
      return [node.left, node.right];
    case 'Property':
      return [node.key, node.value];
    case 'CallExpression':
      return isNode(node.callee) && node.callee.type === 'MemberExpression' && nameOf(node.callee) === 'push'
        ? [node.callee.object, node.arguments]
        : [null, null];
    case 'FunctionDeclaration':
      return [node.id, returned(node.body)];
    default:
      return [null, null];
  }
}

function returned(body: unknown): unknown[] {
  const values: unknown[] = [];
  visit(body, (node) => {
    if (node.type === 'ReturnStatement') values.push(node.argument);
  });
  return values;
}

function isClock(node: Node): boolean {
  if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'MemberExpression')
    return false;
  const object = nameOf(node.callee.object);
  return CLOCKS.test(nameOf(node.callee) ?? '') && /^(?:performance|process|Date|hrtime)$/.test(object ?? '');
}

function isNamed(node: Node, names: ReadonlySet<string>): boolean {
  if (node.type !== 'Identifier' && node.type !== 'MemberExpression') return false;
  return names.has(nameOf(node) ?? '');
}

/** The name of a variable, or of the property that is reached. */
function nameOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === 'Identifier') return String(value.name);
  return value.type === 'MemberExpression' ? nameOf(value.property) : null;
}

function holds(value: unknown, isFound: (node: Node) => boolean): boolean {
  let isHeld = false;
  visit(value, (node) => {
    isHeld ||= isFound(node);
  });
  return isHeld;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  if (!isNode(value)) return;
  see(value);
  for (const each of Object.values(value)) visit(each, see);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
