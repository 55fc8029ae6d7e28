import type pg from 'pg';

/** A column of a statement's answer, as PostgreSQL tells it before anything runs. */
export interface AnsweredColumn {
  name: string;
  /** The object id of its type. */
  typeId: number;
}

/** What PostgreSQL says of a statement before anything runs. */
export interface StatementDescription {
  columns: AnsweredColumn[];
  /** The number of its parameters. */
  parameters: number;
}

/** Prepares a statement without running it. Fails with what PostgreSQL says of a statement that is wrong. */
export function describeStatement(client: pg.Client, text: string): Promise<StatementDescription> {
  return new Promise((resolve, reject) => {
    let columns: AnsweredColumn[] = [];
    let parameters = 0;
    let failure: Error | null = null;
    const description: pg.Submittable & Record<string, unknown> = {
      submit(connection: pg.Connection) {
        connection.once('parameterDescription', ({ parameterCount }: { parameterCount: number }) => {
          parameters = parameterCount;
        });
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }));
      },
      handleError(error: Error) {
        failure = error;
      },
      handleReadyForQuery() {
        if (failure === null) resolve({ columns, parameters });
        else reject(failure);
      },
    };
    client.query(description);
  });
}
