import { type Html, html, joinHtml } from './html.ts';

/** One line of a table of fields. */
export interface FieldRow {
  name: string;
  type: Html;
  isRequired: boolean;
  note: string;
}

/** The keywords the reference shows. */
interface Node {
  title?: string;
  description?: string;
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
  items?: unknown;
  anyOf?: readonly unknown[];
  oneOf?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
}

/** Schemas with a title: shown once, linked from everywhere else. */
export function collectRecords(schemas: readonly unknown[]): Map<string, unknown> {
  const records = new Map<string, unknown>();
  function visit(schema: unknown): void {
    const node = nodeOf(schema);
    if (node.title !== undefined && !records.has(node.title)) records.set(node.title, schema);
    for (const property of Object.values(node.properties ?? {})) visit(property);
    for (const branch of node.anyOf ?? []) visit(branch);
    if (node.items !== undefined) visit(node.items);
  }
  for (const schema of schemas) visit(schema);
  return records;
}

export function descriptionOf(schema: unknown): string {
  return nodeOf(schema).description ?? '';
}

/** Returns the named alternatives of an object, each with further fields. */
export function variantsOf(schema: unknown): { title: string; schema: unknown }[] {
  return (nodeOf(schema).oneOf ?? []).flatMap((variant) => {
    const { title } = nodeOf(variant);
    return title === undefined ? [] : [{ title, schema: variant }];
  });
}

export function recordAnchor(title: string): string {
  return `record-${title}`;
}

/** The fields of an object, those of objects inside it after their parent; titled objects are left to their record. */
export function fieldRows(schema: unknown, prefix = ''): FieldRow[] {
  const node = nodeOf(schema);
  const required = new Set(node.required ?? []);
  return Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const inner = innerObject(property);
    return [
      {
        name: prefix + name,
        type: typeOf(property),
        isRequired: required.has(name),
        note: noteOf(property),
      },
      ...(inner === null ? [] : fieldRows(inner.schema, `${prefix}${name}${inner.suffix}.`)),
    ];
  });
}

/** The type in words, with links to records. */
export function typeOf(schema: unknown): Html {
  const node = nodeOf(schema);
  if (node.title !== undefined) return html`<a href="#${recordAnchor(node.title)}">${node.title}</a>`;
  if (node.anyOf !== undefined) return joinHtml(node.anyOf.map(typeOf), ' or ');
  if (node.const !== undefined) return literal(node.const);
  if (node.enum !== undefined) return joinHtml(node.enum.map(literal), ' | ');
  if (node.items !== undefined) return html`array of ${typeOf(node.items)}`;
  if (node.type === undefined) return html`any JSON value`;
  const words = typeof node.type === 'string' ? [node.type] : node.type;
  return html`${words.join(' or ')}${node.format === undefined ? '' : ` (${node.format})`}`;
}

function literal(value: unknown): Html {
  return html`<code>${JSON.stringify(value)}</code>`;
}

function noteOf(schema: unknown): string {
  const node = nodeOf(schema);
  const notes = [
    node.description,
    range(node.minimum, node.maximum, ''),
    range(node.minLength, node.maxLength, ' characters'),
    range(node.minItems, node.maxItems, ' items'),
    node.default === undefined ? undefined : `default ${JSON.stringify(node.default)}`,
  ];
  return notes.filter((note) => note !== undefined).join('; ');
}

function range(low: number | undefined, high: number | undefined, unit: string): string | undefined {
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (low === 1 && unit !== '') return 'not empty';
  if (low !== undefined) return `at least ${low}${unit}`;
  return high === undefined ? undefined : `at most ${high}${unit}`;
}

/** The untitled object a field holds, directly, in an array or beside null. */
function innerObject(schema: unknown): { schema: unknown; suffix: string } | null {
  const node = nodeOf(schema);
  if (node.title !== undefined) return null;
  if (node.properties !== undefined) return { schema, suffix: '' };
  if (node.items !== undefined) {
    const inner = innerObject(node.items);
    return inner === null ? null : { schema: inner.schema, suffix: `[]${inner.suffix}` };
  }
  const objects = (node.anyOf ?? []).map(innerObject).filter((inner) => inner !== null);
  return objects.length === 1 ? (objects[0] ?? null) : null;
}

function nodeOf(schema: unknown): Node {
  return typeof schema === 'object' && schema !== null ? schema : {};
}
