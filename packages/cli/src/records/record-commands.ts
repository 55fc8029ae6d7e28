import type { RequestParts } from '@culprit/contract/endpoints/client';
import { type Endpoint, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import { usageError } from '../cli-error.ts';
import type { Run } from '../command.ts';
import { isObject, type JsonObject, valueAt } from '../config/json-file.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Flag } from '../flag.ts';
import type { Input } from '../input.ts';
import { gather } from '../lists/gather.ts';
import { confirm } from '../output/ask.ts';
import { printJson, printList, printRecord, say } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { chosenProjectId, projectId } from '../references/project-reference.ts';
import { fieldsOf } from './fields.ts';
import type { SecretOfRecord } from './print-secret.ts';
import { rowsOf } from './record-rows.ts';

/** The commands that map to one endpoint each (docs/contract/command-line.md 4.11). */

/** The place in which a request names its project. */
type ProjectPlace = 'params.id' | 'query.project_id' | 'body.project_id' | 'optional query' | 'none';

/** A column by the title and the key of the record; a dot goes into an object. */
export type RecordColumn = readonly [title: string, key: string | ((record: JsonObject) => unknown), 'wide'?];

export interface ListOptions {
  endpoint: Endpoint;
  project: ProjectPlace;
  /** Path parameter that the first argument names. */
  argument?: string;
  key: string;
  id: string | ((record: JsonObject) => string);
  columns: readonly RecordColumn[];
  empty: string;
  flags?: readonly Flag[];
  /** The endpoint has no pages. */
  isWhole?: true;
  /** Rows that count, for filters that the endpoint does not have. */
  keep?: (record: JsonObject, input: Input) => boolean;
  /** Rows that are shown before the others. */
  isFirst?: (record: JsonObject) => boolean;
}

/** A command that lists records. */
export function listCommand(options: ListOptions): Run {
  return async (context, input) => {
    const api = await context.api();
    const { endpoint, key, id, keep, isFirst } = options;
    const idOf = typeof id === 'string' ? (record: JsonObject) => String(record[id]) : id;
    // A GET is sent without a body, because a proxy can reject a GET that has one.
    const { params, query, body: given } = await partsOf(context, input, options);
    const sent =
      endpoint.method === 'GET' ? {} : { body: { ...given, ...fieldsOf(input, options.flags ?? []) } };
    const { items, nextCursor, body, exit } = await gather<JsonObject>(
      context,
      input,
      async (page) => {
        const answer = await api.send(endpoint, {
          params,
          query: options.isWhole === true ? query : { ...query, ...page },
          ...sent,
        });
        const rows = answer[key];
        const next = answer.next_cursor;
        return {
          items: Array.isArray(rows) ? rows.filter(isObject) : [],
          nextCursor: typeof next === 'string' ? next : null,
          body: answer,
        };
      },
      idOf,
      keep === undefined ? null : (record) => keep(record, input),
    );
    printList(context, {
      items:
        isFirst === undefined
          ? items
          : [...items.filter(isFirst), ...items.filter((record) => !isFirst(record))],
      key,
      body,
      nextCursor,
      columns: columnsOf(options.columns),
      id: idOf,
      empty: options.empty,
    });
    return exit;
  };
}

export interface RecordOptions {
  endpoint: Endpoint;
  project: ProjectPlace;
  /** Path parameter or body field that the first argument names. */
  argument?: string;
  /** That of the second argument. */
  secondArgument?: string;
  /** Key of the record in the answer; the answer itself when absent. */
  key?: string;
  id?: string;
  flags?: readonly Flag[];
  /** The part of the body that is added to the flags. */
  body?: (context: Context, input: Input) => Promise<JsonObject> | JsonObject;
  /** Fields that are refused to be empty together. */
  needsChange?: true;
  /** Asked before; what stops working. */
  question?: (context: Context, input: Input, body: JsonObject) => Promise<string | null> | string | null;
  /** A secret that is only in this answer, if it has one: where, and what it is. */
  secret?: SecretOfRecord;
  /** Said when it is done. */
  done?: (record: JsonObject) => string;
  /** The exit code of an answer that is not a success for every argument. */
  exit?: (record: JsonObject, input: Input) => ExitCode;
  hasBody?: true;
}

/** A command that shows, makes, changes or deletes one record. */
export function recordCommand(options: RecordOptions): Run {
  return async (context, input) => {
    const { endpoint, key } = options;
    const parts = await partsOf(context, input, options);
    const body: JsonObject = {
      ...parts.body,
      ...fieldsOf(input, options.flags ?? []),
      ...(await options.body?.(context, input)),
    };
    if (options.needsChange === true && Object.keys(fieldsOf(input, options.flags ?? [])).length === 0) {
      throw usageError('Nothing to change.', 'see --help for the flags');
    }
    const sent: RequestParts = {
      ...parts,
      ...(options.hasBody === true || Object.keys(body).length > 0 ? { body } : { body: undefined }),
    };
    if (input.has('dry-run')) {
      printJson(context, {
        method: endpoint.method,
        path: pathOf(endpoint, parts.params),
        body: sent.body ?? null,
      });
      return EXIT.ok;
    }
    const question = context.globals.yes ? null : await options.question?.(context, input, body);
    if (question !== undefined && question !== null)
      await confirm(context, question, `This needs a confirmation: ${question}`);
    const api = await context.api();
    const answer = await api.send(endpoint, sent);
    const inner = key === undefined ? answer : answer[key];
    const record = isObject(inner) ? inner : {};
    if (options.secret !== undefined && (record[options.secret.field] ?? answer[options.secret.field])) {
      const { printSecretOnce } = await import('./print-secret.ts');
      await printSecretOnce(context, input, answer, key, options.secret);
      return EXIT.ok;
    }
    const id = options.id === undefined ? (input.args[0] ?? null) : textOf(record[options.id]);
    const isEmpty = Object.keys(answer).length === 0;
    printRecord(context, {
      body: isEmpty ? { id } : answer,
      ...(key === undefined ? {} : { key }),
      rows: rowsOf(record),
      id,
    });
    if (options.done !== undefined && !context.globals.json) say(context, options.done(record));
    return options.exit?.(record, input) ?? EXIT.ok;
  };
}

function columnsOf(columns: readonly RecordColumn[]): Column<JsonObject>[] {
  return columns.map(([title, key, isWide]) => ({
    title,
    cell: (record) => textOf(typeof key === 'string' ? valueAt(record, key) : key(record)),
    ...(isWide === undefined ? {} : { isFlexible: true }),
  }));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

interface Parts {
  params: JsonObject;
  query: JsonObject;
  body: JsonObject;
}

/** Path, query and body as far as project and argument decide them. */
async function partsOf(context: Context, input: Input, options: ListOptions | RecordOptions): Promise<Parts> {
  const { endpoint, project, argument, flags } = options;
  const parts: Parts = { params: {}, query: {}, body: {} };
  if (project === 'optional query') {
    const id = await chosenProjectId(context, { isOptional: true });
    if (id !== null) parts.query.project_id = id;
  } else if (project !== 'none') {
    const [part, name = ''] = project.split('.');
    const holder = part === 'params' ? parts.params : part === 'query' ? parts.query : parts.body;
    holder[name] = await projectId(context);
  }
  const named = [argument, 'secondArgument' in options ? options.secondArgument : undefined];
  for (const [place, name] of named.entries()) {
    if (name === undefined) continue;
    const isOfPath = pathParameterNames(endpoint.path).includes(name);
    const value = input.args[place];
    if (isOfPath) parts.params[name] = value ?? '';
    else if (value !== undefined) parts.body[name] = value;
  }
  if (endpoint.method === 'GET') Object.assign(parts.query, fieldsOf(input, flags ?? []));
  return parts;
}

function pathOf(endpoint: Endpoint, params: JsonObject): string {
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
}
