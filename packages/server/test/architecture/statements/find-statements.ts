import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { CallExpression, Expression, Node, TypeNode } from 'typescript/unstable/ast';
import { NodeFlags, SyntaxKind } from 'typescript/unstable/ast';
import { API, type Checker, type Project, type Type, TypeFlags } from 'typescript/unstable/sync';
import { ROOT } from '../../lanes/test-files.ts';

/** What a value is for the code, `null` apart. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'array' | 'buffer' | 'object' | 'unknown';

/** A place of the server where a statement is sent. */
export interface StatementUse {
  /** `path:line` from the root of the repository. */
  where: string;
  path: string;
  /**
   * The statement as an expression that stands for itself at the end of its module: constants of the functions around it
   * are put in. It still may need an argument of those functions, and then has no value there.
   */
  expression: string;
  /** The columns of the row type and what each may hold; null where the call names no row type of its own. */
  columns: ReadonlyMap<string, readonly ValueKind[]> | null;
  /** What its only column may hold; null for a statement that has a row type or returns no value. */
  value: readonly ValueKind[] | null;
  /** The number of parameters that the call's type names; null if a function builds the values. */
  parameters: number | null;
}

const SOURCE = '/packages/server/src/';
/** What runs statements: the types of `platform/db/database.ts`. */
const RUNS_STATEMENTS = ['Database', 'Queryable', 'Transaction'];
/** What makes functions of statements: the type of `platform/db/statement.ts`. */
const MAKES_FUNCTIONS = ['Statements<Queryable>', 'TransactionStatements'];

/** Every statement of the server, with its row type as the compiler sees it. */
export function findStatements(): StatementUse[] {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = api.updateSnapshot({ openProject: `${ROOT}tsconfig.json` });
    const [project] = snapshot.getProjects();
    if (project === undefined) throw new Error('the compiler found no project');
    return project.program
      .getSourceFileNames()
      .filter((name) => name.includes(SOURCE))
      .flatMap((name) => statementsOf(name, project));
  } finally {
    api.close();
  }
}

function statementsOf(fileName: string, { program, checker }: Project): StatementUse[] {
  const file = program.getSourceFile(fileName);
  if (file === undefined) return [];
  const path = relative(ROOT, fileName);
  const text = readFileSync(fileName, 'utf8');
  return callsIn(
    file,
    ({ expression }) => isQuery(expression, checker) || isMade(expression, checker),
  ).flatMap((call): StatementUse[] => {
    const [statement, sql] = call.arguments;
    if (statement === undefined) return [];
    const line = text.slice(0, call.getStart()).split('\n').length;
    const use = { where: `${path}:${line}`, path, value: null, parameters: null };
    if (isQuery(call.expression, checker)) {
      const [row] = call.typeArguments ?? [];
      return [
        { ...use, expression: standingAlone(statement, checker, []), columns: columnsOf(row, checker) },
      ];
    }
    const [parameters, result] = call.typeArguments ?? [];
    const isValue = call.expression.getText().endsWith('.value');
    return [
      {
        ...use,
        expression: `{ name: ${statement.getText()}, text: ${sql?.getText()} }`,
        columns: isValue ? null : columnsOf(result, checker),
        value: isValue ? kindsOfNode(result, checker) : null,
        parameters: lengthOf(parameters),
      },
    ];
  });
}

function callsIn(file: Node, isSought: (call: CallExpression) => boolean): CallExpression[] {
  const calls: CallExpression[] = [];
  const visit = (node: Node) => {
    if (isCall(node) && isSought(node)) calls.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  return calls;
}

function isCall(node: Node): node is CallExpression {
  return node.kind === SyntaxKind.CallExpression;
}

function isQuery(callee: Expression, checker: Checker): boolean {
  return /\.(query|send)$/.test(callee.getText()) && isMemberOf(callee, RUNS_STATEMENTS, checker);
}

function isMade(callee: Expression, checker: Checker): boolean {
  return /^\w+\.\w+$/.test(callee.getText()) && isMemberOf(callee, MAKES_FUNCTIONS, checker);
}

function isMemberOf(callee: Expression, types: readonly string[], checker: Checker): boolean {
  if (callee.kind !== SyntaxKind.PropertyAccessExpression || !('expression' in callee)) return false;
  if (!isNode(callee.expression)) return false;
  const type = checker.getTypeAtLocation(callee.expression);
  return type !== undefined && types.includes(checker.typeToString(type));
}

/** The number of elements of a tuple type. */
function lengthOf(node: Node | undefined): number | null {
  if (node?.kind !== SyntaxKind.TupleType || !('elements' in node)) return null;
  return Array.isArray(node.elements) ? node.elements.length : null;
}

function kindsOfNode(node: TypeNode | undefined, checker: Checker): ValueKind[] {
  const type = node === undefined ? undefined : checker.getTypeFromTypeNode(node);
  return type === undefined ? ['unknown'] : kindsOf(type, checker);
}

function columnsOf(node: TypeNode | undefined, checker: Checker): StatementUse['columns'] {
  const row = node === undefined ? undefined : checker.getTypeFromTypeNode(node);
  if (row === undefined) return null;
  const columns = new Map<string, ValueKind[]>();
  for (const property of membersOf(row).flatMap((member) => checker.getPropertiesOfType(member))) {
    const type = checker.getTypeOfSymbol(property);
    const kinds = type === undefined ? ['unknown' as const] : kindsOf(type, checker);
    columns.set(property.name, [...(columns.get(property.name) ?? []), ...kinds]);
  }
  // Without any it is a type parameter of the function around the call: its columns are somebody else's to say.
  return columns.size === 0 ? null : columns;
}

/** The types of a union, or the one. */
function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes() : [type];
}

const KINDS: readonly (readonly [flags: number, kind: ValueKind])[] = [
  [TypeFlags.String | TypeFlags.StringLiteral | TypeFlags.TemplateLiteral, 'string'],
  [TypeFlags.Number | TypeFlags.NumberLiteral, 'number'],
  [TypeFlags.Boolean | TypeFlags.BooleanLiteral, 'boolean'],
  [TypeFlags.Object | TypeFlags.Intersection, 'object'],
];

function kindsOf(type: Type, checker: Checker): ValueKind[] {
  return membersOf(type).flatMap((member): ValueKind[] => {
    if ((member.flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0) return [];
    if (checker.isArrayLikeType(member)) return ['array'];
    if (checker.typeToString(member).startsWith('Buffer')) return ['buffer'];
    return [KINDS.find(([flags]) => (member.flags & flags) !== 0)?.[1] ?? 'unknown'];
  });
}

/** The text of an expression with each constant of a function replaced by what it is made of. */
function standingAlone(expression: Node, checker: Checker, inside: readonly Node[]): string {
  const from = expression.getStart();
  const replacements: { start: number; end: number; text: string }[] = [];
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.Identifier) {
      const initializer = localInitializer(node, checker);
      if (initializer === null || inside.includes(initializer)) return;
      const isShorthand = node.parent.kind === SyntaxKind.ShorthandPropertyAssignment;
      const value = `(${standingAlone(initializer, checker, [...inside, initializer])})`;
      const text = isShorthand ? `${node.getText()}: ${value}` : value;
      replacements.push({ start: node.getStart() - from, end: node.end - from, text });
      return;
    }
    node.forEachChild(visit);
  };
  visit(expression);
  return replacements.reduceRight(
    (text, { start, end, text: value }) => text.slice(0, start) + value + text.slice(end),
    expression.getText(),
  );
}

/** What a name inside a function stands for; null where it is of the module, an argument or a property. */
function localInitializer(identifier: Node, checker: Checker): Node | null {
  const symbol =
    identifier.parent.kind === SyntaxKind.ShorthandPropertyAssignment
      ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
      : checker.getSymbolAtLocation(identifier);
  const declaration = symbol?.valueDeclaration?.resolve();
  if (declaration === undefined || declaration.kind !== SyntaxKind.VariableDeclaration) return null;
  const isOfModule = declaration.parent.parent.parent.kind === SyntaxKind.SourceFile;
  if ((declaration.parent.flags & NodeFlags.Const) === 0) return null;
  const initializer = 'initializer' in declaration ? declaration.initializer : undefined;
  return isOfModule || !isNode(initializer) ? null : initializer;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'kind' in value && 'forEachChild' in value;
}
