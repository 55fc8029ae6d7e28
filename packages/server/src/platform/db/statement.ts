import type { Parameter, Queryable, Statement, Transaction } from './database.ts';

/**
 * Returns a statement whose name is written before its text: sql('webhook-find')`select …`. What is inserted is SQL of
 * ours, such as a list of columns; values are parameters.
 */
export const sql =
  (name: string) =>
  (texts: TemplateStringsArray, ...inserted: (string | number)[]): Statement => ({
    name,
    text: texts.reduce((text, next, index) => `${text}${inserted[index - 1]}${next}`),
  });

/** Maps a row to the record that callers get. */
type RecordOf<Row, Result> = (row: Row) => Result;

/**
 * Functions that run one statement with their arguments as its parameters, in order. `Arguments` names them, `Row` is
 * what the statement returns; the test `statement-shapes` compares both with PostgreSQL.
 */
interface Statements<On extends Queryable> {
  /** Returns the first row as a record, or null. */
  one<Arguments extends Parameter[], Row extends object>(
    name: string,
    text: string,
  ): (on: On, ...parameters: Arguments) => Promise<Row | null>;
  one<Arguments extends Parameter[], Row extends object, Result>(
    name: string,
    text: string,
    recordOf: RecordOf<Row, Result>,
  ): (on: On, ...parameters: Arguments) => Promise<Result | null>;
  /** Returns all rows as records. */
  many<Arguments extends Parameter[], Row extends object>(
    name: string,
    text: string,
  ): (on: On, ...parameters: Arguments) => Promise<Row[]>;
  many<Arguments extends Parameter[], Row extends object, Result>(
    name: string,
    text: string,
    recordOf: RecordOf<Row, Result>,
  ): (on: On, ...parameters: Arguments) => Promise<Result[]>;
  /** Returns the only column of the first row, or `absent` if there is no row or the column is null. */
  value<Arguments extends Parameter[], Value>(
    name: string,
    text: string,
    absent: Value,
  ): (on: On, ...parameters: Arguments) => Promise<Value>;
  /** Returns true if the statement has a row: it found or changed something. */
  exists<Arguments extends Parameter[]>(
    name: string,
    text: string,
  ): (on: On, ...parameters: Arguments) => Promise<boolean>;
  /** Returns the number of rows. */
  count<Arguments extends Parameter[]>(
    name: string,
    text: string,
  ): (on: On, ...parameters: Arguments) => Promise<number>;
  /** Runs the statement for its effect. */
  run<Arguments extends Parameter[]>(
    name: string,
    text: string,
  ): (on: On, ...parameters: Arguments) => Promise<void>;
}

/** The statements of a transaction, which can also be sent without waiting for them. */
interface TransactionStatements extends Statements<Transaction> {
  /** Sends the statement without waiting for it (`Transaction.send`). */
  send<Arguments extends Parameter[]>(
    name: string,
    text: string,
  ): (on: Transaction, ...parameters: Arguments) => void;
}

function statements<On extends Queryable>(): Statements<On> {
  return {
    one:
      <Arguments extends Parameter[], Row extends object, Result>(
        name: string,
        text: string,
        recordOf?: RecordOf<Row, Result>,
      ) =>
      async (on: On, ...parameters: Arguments) => {
        const [row] = await on.query<Row>({ name, text }, parameters);
        if (row === undefined) return null;
        return recordOf === undefined ? row : recordOf(row);
      },
    many:
      <Arguments extends Parameter[], Row extends object, Result>(
        name: string,
        text: string,
        recordOf?: RecordOf<Row, Result>,
      ) =>
      async (on: On, ...parameters: Arguments) => {
        const rows = await on.query<Row>({ name, text }, parameters);
        return recordOf === undefined ? rows : rows.map((row) => recordOf(row));
      },
    value:
      <Arguments extends Parameter[], Value>(name: string, text: string, absent: Value) =>
      async (on: On, ...parameters: Arguments) => {
        const [row] = await on.query<Record<string, Value | null>>({ name, text }, parameters);
        return row === undefined ? absent : (Object.values(row)[0] ?? absent);
      },
    exists:
      (name, text) =>
      async (on, ...parameters) =>
        (await on.query({ name, text }, parameters)).length > 0,
    count:
      (name, text) =>
      async (on, ...parameters) =>
        (await on.query({ name, text }, parameters)).length,
    run:
      (name, text) =>
      async (on, ...parameters) => {
        await on.query({ name, text }, parameters);
      },
  };
}

/** Statements that run anywhere. */
export const statement: Statements<Queryable> = statements();
/** Statements that need a transaction: what they lock or change must commit together with something else. */
export const inTransaction: TransactionStatements = {
  ...statements<Transaction>(),
  send:
    (name, text) =>
    (on, ...parameters) =>
      on.send({ name, text }, parameters),
};
