/** How databases and their clients write a value into a message, and what is left of it. */
type Written = readonly [of: string, write: (entered: string) => string, expected: string];

const doubled = (text: string) => text.replaceAll("'", "''");
const json = (text: string) => JSON.stringify(text);

export const DATABASE_TEXTS: readonly Written[] = [
  [
    'pydantic, an entered value',
    (x) =>
      `1 validation error for User\npin\n  Input is bad [type=too_short, input_value='${x}', input_type=str]`,
    '1 validation error for User\npin\n  Input is bad [type=too_short, input_value=[REDACTED], input_type=str]',
  ],
  [
    'Spring, an entered value',
    (x) => `Field error in object 'user' on field 'name': rejected value [${x}]; codes [Size]`,
    "Field error in object 'user' on field 'name': rejected value [[REDACTED]]; codes [Size]",
  ],
  [
    'Joi, an entered value',
    (x) => `"name" with value "${x}" fails to match the required pattern: /a/`,
    '"name" with value "[REDACTED]" fails to match the required pattern: /a/',
  ],
  [
    'Jackson, an entered value',
    (x) => `Cannot deserialize value of type \`int\` from String "${x}": not a valid \`int\` value`,
    'Cannot deserialize value of type `int` from String "[REDACTED]": not a valid `int` value',
  ],
  [
    'H2, a key that exists',
    (x) =>
      `Unique index or primary key violation: "PUBLIC.U ON PUBLIC.T(EMAIL) VALUES ( /* 1 */ '${x}' )"; SQL statement:`,
    'Unique index or primary key violation: "PUBLIC.U ON PUBLIC.T(EMAIL) VALUES ( /* 1 */ [REDACTED] )"; SQL statement:',
  ],
  [
    'Snowflake, a value of another type',
    (x) => `Numeric value '${x}' is not recognized`,
    "Numeric value '[REDACTED]' is not recognized",
  ],
  [
    'BigQuery, a value of another type',
    (x) => `Could not cast literal "${x}" to type DATE at [1:8]`,
    'Could not cast literal "[REDACTED]" to type DATE at [1:8]',
  ],
  [
    'Cassandra, a value of another type',
    (x) => `Invalid STRING constant (${x}) for "id" of type uuid`,
    'Invalid STRING constant ([REDACTED]) for "id" of type uuid',
  ],
  [
    'ClickHouse, a value that cannot be read',
    (x) => `Cannot parse input: expected ',' before: '${x}': (at row 1)`,
    "Cannot parse input: expected ',' before: '[REDACTED]': (at row 1)",
  ],
  [
    'Hibernate, a statement in brackets',
    (x) => `could not execute statement [insert into users (email) values ('${doubled(x)}')]`,
    "could not execute statement [insert into users (email) values ('[REDACTED]')]",
  ],
  [
    'MySQL, a key that exists',
    (x) => `Duplicate entry '${x}' for key 'users.email'`,
    "Duplicate entry '[REDACTED]' for key 'users.email'",
  ],
  [
    'MariaDB by its own client',
    (x) => `(conn:4, no: 1062, SQLState: 23000) Duplicate entry '${x}' for key 'email'`,
    "(conn:4, no: 1062, SQLState: 23000) Duplicate entry '[REDACTED]' for key 'email'",
  ],
  [
    'MySQL, a value of another type',
    (x) => `Incorrect integer value: '${x}' for column 'age' at row 1`,
    "Incorrect integer value: '[REDACTED]' for column 'age' at row 1",
  ],
  [
    'MySQL, a statement that cannot be read',
    (x) =>
      `You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '${x}'' at line 1`,
    "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '[REDACTED]' at line 1",
  ],
  [
    'PDO over MySQL',
    (x) =>
      `SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '${x}' for key 'users_email_unique'`,
    "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '[REDACTED]' for key 'users_email_unique'",
  ],
  [
    'PostgreSQL, a key that exists',
    (x) => `Key (email)=(${x}) already exists.`,
    'Key (email)=([REDACTED]) already exists.',
  ],
  [
    'PostgreSQL, a key of an expression and two columns',
    (x) => `Key (lower(email), tenant)=(${x}, 4) is not present in table "users".`,
    'Key (lower(email), tenant)=([REDACTED]) is not present in table "users".',
  ],
  [
    'PostgreSQL, a key that excludes another',
    (x) => `Key (room)=(${x}) conflicts with existing key (room)=(7).`,
    'Key (room)=([REDACTED]) conflicts with existing key (room)=(7).',
  ],
  [
    'PostgreSQL, a row that fails',
    (x) => `Failing row contains (1, ${x.replace('\n', ' ')}, null).`,
    'Failing row contains ([REDACTED]).',
  ],
  [
    'PostgreSQL, a text that is no number',
    (x) => `invalid input syntax for type integer: "${x}"`,
    'invalid input syntax for type integer: "[REDACTED]"',
  ],
  [
    'PostgreSQL, a word that is not in the list',
    (x) => `invalid input value for enum "Role": "${x}"`,
    'invalid input value for enum "Role": "[REDACTED]"',
  ],
  [
    'PostgreSQL, a number that is too large',
    (x) => `value "${x}" is out of range for type integer`,
    'value "[REDACTED]" is out of range for type integer',
  ],
  [
    'PostgreSQL, no time',
    (x) => `date/time field value out of range: "${x}"`,
    'date/time field value out of range: "[REDACTED]"',
  ],
  [
    'PostgreSQL, a statement that cannot be read',
    (x) => `syntax error at or near "${x}"`,
    'syntax error at or near "[REDACTED]"',
  ],
  [
    'psycopg through SQLAlchemy',
    (x) =>
      `(psycopg2.errors.UniqueViolation) duplicate key value violates unique constraint "users_email_key"\nDETAIL:  Key (email)=(${x}) already exists.\n\n[SQL: INSERT INTO users (email) VALUES (%(email)s)]\n[parameters: {'email': ${json(x)}}]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)`,
    '(psycopg2.errors.UniqueViolation) duplicate key value violates unique constraint "users_email_key"\nDETAIL:  Key (email)=([REDACTED]) already exists.\n\n[SQL: INSERT INTO users (email) VALUES (%(email)s)]\n[parameters: [REDACTED]]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)',
  ],
  ['SQLite', (x) => `near "${x}": syntax error`, 'near "[REDACTED]": syntax error'],
  [
    'SQL Server, a key that exists',
    (x) =>
      `Violation of UNIQUE KEY constraint 'UQ_email'. Cannot insert duplicate key in object 'dbo.users'. The duplicate key value is (${x}).`,
    "Violation of UNIQUE KEY constraint 'UQ_email'. Cannot insert duplicate key in object 'dbo.users'. The duplicate key value is ([REDACTED]).",
  ],
  [
    'SQL Server, a text that is no number',
    (x) => `Conversion failed when converting the nvarchar value '${x}' to data type int.`,
    "Conversion failed when converting the nvarchar value '[REDACTED]' to data type int.",
  ],
  [
    'MongoDB, a key that exists',
    (x) => `E11000 duplicate key error collection: shop.people index: email_1 dup key: { email: ${json(x)} }`,
    'E11000 duplicate key error collection: shop.people index: email_1 dup key: { email: [REDACTED] }',
  ],
  [
    'MongoDB, a key of several members',
    (x) =>
      `E11000 duplicate key error collection: shop.people index: a dup key: { tenant: 4, name.first: ${json(x)}, at: ObjectId('65f0') }`,
    'E11000 duplicate key error collection: shop.people index: a dup key: { tenant: [REDACTED], name.first: [REDACTED], at: [REDACTED] }',
  ],
  [
    'MongoDB by PyMongo',
    (x) =>
      `E11000 duplicate key error collection: t.u index: email_1 dup key: { email: ${json(x)} }, full error: {'index': 0, 'code': 11000, 'keyPattern': {'email': 1}, 'keyValue': {'email': ${json(x)}}}`,
    "E11000 duplicate key error collection: t.u index: email_1 dup key: { email: [REDACTED] }, full error: {'index': 0, 'code': 11000, 'keyPattern': {'email': 1}, 'keyValue': { 'email': [REDACTED] }}",
  ],
  [
    'Mongoose, a value of another type',
    (x) => `User validation failed: age: Cast to Number failed for value "${x}" (type string) at path "age"`,
    'User validation failed: age: Cast to Number failed for value "[REDACTED]" (type string) at path "age"',
  ],
  [
    'Mongoose, an id that is none',
    (x) => `Cast to ObjectId failed for value "${x}" (type string) at path "_id" for model "User"`,
    'Cast to ObjectId failed for value "[REDACTED]" (type string) at path "_id" for model "User"',
  ],
  [
    'Mongoose, a short value',
    (x) =>
      `User validation failed: name: Path \`name\` (\`${x}\`, length 3) is shorter than the minimum allowed length (8).`,
    'User validation failed: name: Path `name` (`[REDACTED]) is shorter than the minimum allowed length (8).',
  ],
  [
    'Mongoose, a word that is not in the list',
    (x) => `User validation failed: role: \`${x}\` is not a valid enum value for path \`role\`.`,
    'User validation failed: role: `[REDACTED]` is not a valid enum value for path `role`.',
  ],
  [
    'Mongoose, a value that does not match',
    (x) => `Path \`mail\` is invalid (${x}).`,
    'Path `mail` is invalid ([REDACTED]).',
  ],
  [
    'Prisma, a value of another type',
    (x) =>
      `\nInvalid \`prisma.user.create()\` invocation in\n/srv/app/users.ts:11:21\n\n  9 async function create() {\n→ 11   await prisma.user.create({\n         data: {\n           email: ${json(x)},\n           age: 41,\n           tags: [${json(x)}, 2]\n         }\n       })\n\nArgument \`name\` is missing.`,
    '\nInvalid `prisma.user.create()` invocation in\n/srv/app/users.ts:11:21\n\n  9 async function create() {\n→ 11   await prisma.user.create({\n         data: {\n           email: "[REDACTED]",\n           age: [REDACTED],\n           tags: ["[REDACTED]", [REDACTED]]\n         }\n       })\n\nArgument `name` is missing.',
  ],
  [
    'Prisma, a query of its own',
    (x) => `Raw query failed. Code: \`23505\`. Message: \`Key (email)=(${x}) already exists.\``,
    'Raw query failed. Code: `23505`. Message: `Key (email)=([REDACTED]) already exists.`',
  ],
  [
    'Redis',
    (x) => `ERR unknown command 'SETT', with args beginning with: 'name' '${x.replace('\n', ' ')}' `,
    "ERR unknown command 'SETT', with args beginning with: [REDACTED]",
  ],
  [
    'Elasticsearch, a value of another type',
    (x) =>
      `document_parsing_exception: [1:8] failed to parse field [age] of type [long] in document with id '1'. Preview of field's value: '${x.replace('\n', ' ')}'`,
    "document_parsing_exception: [1:8] failed to parse field [age] of type [long] in document with id '1'. Preview of field's value: '[REDACTED]'",
  ],
  [
    'Elasticsearch, and Java',
    (x) => `number_format_exception: For input string: "${x}"`,
    'number_format_exception: For input string: "[REDACTED]"',
  ],
  [
    'DynamoDB',
    (x) =>
      `1 validation error detected: Value '${x}' at 'key.id' failed to satisfy constraint: Member must have length less than or equal to 255`,
    "1 validation error detected: Value '[REDACTED]' at 'key.id' failed to satisfy constraint: Member must have length less than or equal to 255",
  ],
  [
    'Knex over PostgreSQL',
    (x) =>
      `insert into "users" ("age", "email") values (41, '${doubled(x)}') returning "id" - duplicate key value violates unique constraint "users_email_key"`,
    `insert into "users" ("age", "email") values ([REDACTED], '[REDACTED]') returning "id" - duplicate key value violates unique constraint "users_email_key"`,
  ],
  [
    'Knex over MySQL',
    (x) =>
      `update \`users\` set \`email\` = '${x.replaceAll("'", "\\'")}' where \`id\` = 7 - Duplicate entry '${x}' for key 'users.email'`,
    "update `users` set `email` = '[REDACTED]' where `id` = [REDACTED] - Duplicate entry '[REDACTED]' for key 'users.email'",
  ],
  [
    'Hibernate, a parameter that is bound',
    (x) => `binding parameter [1] as [VARCHAR] - [${x}]`,
    'binding parameter [1] as [VARCHAR] - [[REDACTED]]',
  ],
  [
    'Entity Framework, parameters of a command',
    (x) => `Executed DbCommand (3ms) [Parameters=[@p0='${x}'], CommandType='Text']`,
    "Executed DbCommand (3ms) [Parameters=[[REDACTED]], CommandType='Text']",
  ],
  [
    'Drizzle',
    (x) => `Failed query: insert into "users" ("id", "email") values (default, $1)\nparams: ${x}`,
    'Failed query: insert into "users" ("id", "email") values (default, $1)\nparams: [REDACTED]',
  ],
  [
    'TypeORM in its log',
    (x) => `query failed: INSERT INTO "users"("email") VALUES ($1) -- PARAMETERS: [${json(x)}]`,
    'query failed: INSERT INTO "users"("email") VALUES ($1) -- PARAMETERS: [REDACTED]',
  ],
  [
    'Laravel',
    (x) =>
      `SQLSTATE[23000]: Duplicate entry '${x}' for key 'users_email_unique' (Connection: mysql, SQL: insert into \`users\` (\`email\`) values (${x}))`,
    "SQLSTATE[23000]: Duplicate entry '[REDACTED]' for key 'users_email_unique' (Connection: mysql, SQL: insert into `users` (`email`) values ([REDACTED])",
  ],
];

/** Texts that only sound like them, and what tells failures apart. */
export const UNTOUCHED: readonly string[] = [
  'duplicate key value violates unique constraint "users_email_key"',
  'null value in column "email" of relation "users" violates not-null constraint',
  'column "emial" does not exist',
  'syntax error at or near "from"',
  'near "WHERE": syntax error',
  'UNIQUE constraint failed: users.email',
  'Unique constraint failed on the fields: (`email`)',
  'update "users" set "email" = $1 where "id" = $2 - could not serialize access',
  "Column 'email' cannot be null",
  "Unknown column 'emial' in 'field list'",
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'The conditional request failed',
  'Select a plan before you pay',
  "Update the app from 'Settings'",
  'const f = (a)=>(b)',
  'Path `name` is required.',
  'the value "x" is not allowed',
];
