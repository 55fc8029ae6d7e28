import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPostgres, type TestPostgres } from '../../server/test/support/test-postgres.ts';
import { type NodeHost, startNodeHost } from './support/node-host.ts';
import { isRecord, type JsonRecord, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/**
 * What the README promises of request bodies and form values, with the errors of real clients and drivers: nothing that
 * a user entered leaves with them, and what tells the failures apart does.
 */

const INSTALL_MAX_MS = 300_000;
/** Fifteen libraries are loaded. */
const LIMIT_MS = 60_000;
const PACKAGES = [
  'axios',
  'got',
  'ky',
  'superagent',
  'pg',
  'sequelize',
  'mysql2',
  'ioredis',
  'mongodb',
  '@prisma/client',
  'winston',
  'pino',
  'pino-9.9',
  'bunyan',
];
/** What a user entered: a value below a secret key, and one below a plain key. */
const [SECRET, ENTERED] = ['Pw-planted-7', 'ann-planted'];

/** The errors of clients in the lines of loggers, which some of them copy member by member. */
const LOGGED = `
import { flush, getDiagnostics, init } from '@culprit/node';
import { culpritStream as bunyanStream } from '@culprit/node/bunyan';
import { culpritStream } from '@culprit/node/pino';
import { CulpritTransport } from '@culprit/node/winston';
import axios from 'axios';
import bunyan from 'bunyan';
import ky from 'ky';
import pino from 'pino';
import olderPino from 'pino-9.9';
import winston from 'winston';
init({ capture: { console: 'events', outgoing: false } });
while (getDiagnostics().policyPreset === null) await new Promise((done) => setTimeout(done, 20));
const form = { username: '${ENTERED}', password: '${SECRET}' };
const url = process.env.API + '/login?user=${ENTERED}&reset_token=${SECRET}';
const fails = (call) => call.then(() => { throw new Error('did not fail'); }, (error) => error);
const ofAxios = () => fails(axios.post(url, form, { headers: { 'x-user': '${ENTERED}' }, params: { q: '${ENTERED}' } }));
const ofKy = () => fails(ky.post(url, { json: form, retry: 0 }));
const nowhere = { write() {} };
const withStacks = winston.format.combine(winston.format.errors({ stack: true }), winston.format.json());
const ofWinston = (format) => winston.createLogger({ format, transports: [new CulpritTransport()] });
const older = olderPino({}, olderPino.multistream([{ stream: culpritStream() }]));
const ofBunyan = bunyan.createLogger({ name: 'shop', streams: [bunyanStream()], serializers: bunyan.stdSerializers });
for (const failed of [ofAxios, ofKy]) {
  ofWinston(winston.format.json()).error('winston', await failed());
  ofWinston(withStacks).error(await failed());
  ofWinston(withStacks).error('winston, with stacks', await failed());
  pino(nowhere).error(await failed());
  pino(nowhere).error({ err: await failed() }, 'pino');
  older.error({ err: await failed() }, 'older pino');
  ofBunyan.error({ err: await failed() }, 'bunyan');
  console.error('console', await failed());
}
await flush(10_000);
process.exit(0);
`;

/** Each failure is captured under its name. */
const PROGRAM = `
import { createServer } from 'node:net';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { captureException, flush, init, withScope, setTag } from '@culprit/node';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import superagent from 'superagent';
import pg from 'pg';
import { Sequelize, DataTypes } from 'sequelize';
import mysql from 'mysql2';
import { Redis } from 'ioredis';
import { MongoServerError } from 'mongodb';
import { PrismaClientKnownRequestError, PrismaClientValidationError } from '@prisma/client/runtime/client';
init();
const { API, DATABASE } = process.env;
const form = { username: '${ENTERED}', password: '${SECRET}' };
const url = API + '/login?user=${ENTERED}&reset_token=${SECRET}';
async function fails(name, run) {
  let error;
  try { await run(); } catch (thrown) { error = thrown; }
  if (error === undefined) throw new Error(name + ' did not fail');
  withScope(() => { setTag('of', name); captureException(error); });
}
await fails('axios', () => axios.post(url, form, { headers: { 'x-user': '${ENTERED}' }, params: { q: '${ENTERED}' } }));
await fails('axios answer', () => axios.post(url, form).catch((error) => { throw error.response; }));
await fails('axios refused', () => axios.post('http://127.0.0.1:1/login', form));
await fails('axios form', () => axios.post(url, new URLSearchParams(form)));
await fails('axios cause', () => axios.post(url, form).catch((error) => { throw new Error('sign in', { cause: error }); }));
await fails('axios as JSON', () => axios.post(url, form).catch((error) => { throw error.toJSON(); }));
await fails('axios copied', () => axios.post(url, form).catch((error) => { throw { ...error.toJSON(), stack: undefined, status: null }; }));
await fails('graphql', () => { const exchange = { response: { status: 200 }, request: { query: '{ a }', variables: form } }; throw Object.assign(new Error('refused: ' + JSON.stringify(exchange)), exchange); });
await fails('got', () => got.post(url, { json: form, retry: { limit: 0 } }));
await fails('ky', () => ky.post(url, { json: form, retry: 0 }));
await fails('superagent', () => superagent.post(url).send(form));
await fails('fetch', () => fetch('http://127.0.0.1:1/login', { method: 'POST', body: JSON.stringify(form) }));
await fails('exec', () => promisify(execFile)(process.execPath, ['-e', 'console.error("no"); process.exit(3)', '--', '--password=${SECRET}']));

const database = new pg.Client({ connectionString: DATABASE });
await database.connect();
await database.query('CREATE TABLE people (name text PRIMARY KEY, password text)');
await database.query('INSERT INTO people VALUES ($1, $2)', [form.username, form.password]);
await fails('pg', () => database.query('INSERT INTO people VALUES ($1, $2)', [form.username, form.password]));
await fails('pg type', () => database.query('SELECT $1::int', [form.username]));
await fails('pg detail', () => database.query('INSERT INTO people VALUES ($1, $2)', [form.username, '']).catch((error) => { throw new Error('not saved: ' + error.message + ' ' + error.detail, { cause: error }); }));
await fails('pg syntax', () => database.query("SELECT 1 WHERE name = '" + "O'${ENTERED}'"));
await database.end();
const sequelize = new Sequelize(DATABASE, { logging: false });
const Person = sequelize.define('person', { name: { type: DataTypes.TEXT, primaryKey: true }, password: DataTypes.TEXT }, { tableName: 'people', timestamps: false });
await fails('sequelize', () => Person.create({ name: form.username, password: form.password }));
await fails('sequelize query', () => sequelize.query('SELECT nothing FROM people WHERE name = :name', { replacements: { name: form.username } }));
await fails('sequelize value', () => sequelize.query("SELECT name FROM people WHERE name = '${ENTERED}' AND nothing = 4"));
await sequelize.close();

const server = mysql.createServer();
server.on('connection', (connection) => {
  connection.serverHandshake({ protocolVersion: 10, serverVersion: '8.0.0', connectionId: 1, statusFlags: 2, characterSet: 8, capabilityFlags: 0xffffff });
  connection.on('query', (sql) => connection.writeError(sql.startsWith('INSERT')
    ? { code: 1062, message: "Duplicate entry '${ENTERED}' for key 'people.name'" } : { code: 1054, message: 'Unknown column' }));
  connection.on('error', () => {});
});
await new Promise((resolve) => server.listen(0, resolve));
const client = mysql.createConnection({ host: '127.0.0.1', port: server._server.address().port, user: 'u', password: 'p' });
await fails('mysql2', () => client.promise().query('UPDATE people SET password = ? WHERE name = ?', [form.password, form.username]));
await fails('mysql2 entry', () => client.promise().query('INSERT INTO people VALUES (?, ?)', [form.username, form.password]));
client.destroy();
server.close();

// A server of Redis that refuses every command.
const refusing = createServer((socket) => socket.on('data', () => socket.write('-ERR refused\\r\\n'))).listen(0);
const redis = new Redis({ port: refusing.address().port, enableReadyCheck: false, lazyConnect: true, disableClientInfo: true, maxRetriesPerRequest: 0, retryStrategy: null });
redis.on('error', () => {});
await fails('ioredis', () => redis.set('${ENTERED}', '${SECRET}'));
redis.disconnect();
refusing.close();

await fails('mongodb', () => { throw new MongoServerError({ ok: 0, code: 11000, codeName: 'DuplicateKey', message: 'E11000 duplicate key error collection: shop.people index: name_1 dup key: { name: "${ENTERED}" }', keyPattern: { name: 1 }, keyValue: { name: form.username, password: form.password } }); });
await fails('prisma', () => { throw new PrismaClientKnownRequestError('Unique constraint failed', { code: 'P2002', clientVersion: '7.10.0', meta: { target: ['name'], driverAdapterError: form } }); });
await fails('prisma arguments', () => { throw new PrismaClientValidationError('\\nInvalid \`prisma.person.create()\` invocation:\\n\\n{\\n  data: {\\n    name: "${ENTERED}",\\n+   password: String\\n  }\\n}\\n\\nArgument \`password\` is missing.', { clientVersion: '7.10.0' }); });
await flush(10_000);
process.exit(0);
`;

let host: Programs;
let answering: NodeHost;
let postgres: TestPostgres;
beforeAll(async () => {
  host = await programs(Object.fromEntries(PACKAGES.map((name) => [name, name])));
  postgres = await startTestPostgres();
  answering = await startNodeHost((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: { username: ENTERED }, password: SECRET }));
    });
  });
}, INSTALL_MAX_MS);
afterAll(async () => {
  await host.folder.remove();
  await answering.close();
  await postgres.stop();
});

describe('the errors of clients and drivers', () => {
  it(
    'leave without what a user entered, and with what tells them apart',
    async () => {
      const endpoint = await startRecordingEndpoint();
      const end = await host.run('app.mjs', PROGRAM, {
        version: '24',
        limitMs: LIMIT_MS,
        env: { ...connectedTo(endpoint.url), API: answering.url, DATABASE: await postgres.createDatabase() },
      });
      expect(end).toMatchObject({ code: 0 });
      const events = endpoint.events('backend_exception');
      const of = (name: string): JsonRecord => {
        const event = events.find(
          ({ context }) => isRecord(context) && isRecord(context.tags) && context.tags.of === name,
        );
        if (event === undefined) throw new Error(`${name} did not arrive`);
        // Breadcrumbs and frames are not what the error carries.
        return { error: isRecord(event.context) ? event.context.error : null, payload: event.payload };
      };
      for (const event of events) {
        const text = JSON.stringify(event);
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(ENTERED);
      }
      const call = { method: expect.stringMatching(/^post$/i), url: `${answering.url}/login`, status: 422 };
      expect(of('axios').error).toMatchObject({ ...call, code: 'ERR_BAD_REQUEST' });
      expect(of('axios answer').payload).toMatchObject({ message: expect.stringContaining('422') });
      expect(of('axios form').error).toMatchObject(call);
      expect(of('axios as JSON').error).toMatchObject({ ...call, code: 'ERR_BAD_REQUEST' });
      expect(of('axios copied').payload).toMatchObject({
        message: expect.stringContaining('status code 422'),
      });
      expect(of('axios cause').payload).toMatchObject({
        causes: [{ name: 'AxiosError', message: expect.stringContaining('422') }],
      });
      expect(of('graphql').payload).toMatchObject({ message: 'refused' });
      expect(of('axios refused').error).toMatchObject({
        url: 'http://127.0.0.1:1/login',
        code: 'ECONNREFUSED',
      });
      for (const client of ['got', 'ky', 'superagent']) expect(of(client).error, client).toMatchObject(call);
      expect(of('exec').error).toMatchObject({ code: 3, killed: false });
      expect(of('pg').error).toMatchObject({ code: '23505', table: 'people', constraint: 'people_pkey' });
      expect(of('mysql2').error).toMatchObject({
        code: 'ER_BAD_FIELD_ERROR',
        errno: 1054,
        sqlState: expect.any(String),
      });
      expect(of('mongodb').error).toMatchObject({ code: 11000, codeName: 'DuplicateKey' });
      expect(of('prisma').error).toMatchObject({ code: 'P2002' });
      const messages = {
        'pg type': 'invalid input syntax for type integer: "[REDACTED]"',
        'pg detail':
          'not saved: duplicate key value violates unique constraint "people_pkey" Key (name)=([REDACTED]) already exists.',
        'mysql2 entry': "Duplicate entry '[REDACTED]' for key 'people.name'",
        mongodb:
          'E11000 duplicate key error collection: shop.people index: name_1 dup key: { name: [REDACTED] }',
      };
      for (const [name, message] of Object.entries(messages))
        expect(of(name).payload, name).toMatchObject({ message });
      expect(of('prisma arguments').payload).toMatchObject({
        message: expect.stringMatching(/name: "\[REDACTED\]",[\s\S]*Argument `password` is missing\./),
      });
      for (const name of ['pg syntax', 'sequelize value', 'fetch', 'sequelize', 'sequelize query', 'ioredis'])
        expect(of(name).payload).toBeTruthy();
      await endpoint.close();
    },
    2 * LIMIT_MS,
  );

  it(
    'stand in the lines of loggers the same way',
    async () => {
      const endpoint = await startRecordingEndpoint();
      const end = await host.run('logged.mjs', LOGGED, {
        version: '24',
        limitMs: LIMIT_MS,
        env: { ...connectedTo(endpoint.url), API: answering.url },
      });
      expect(end).toMatchObject({ code: 0 });
      const text = JSON.stringify(endpoint.events());
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(ENTERED);
      const lines = endpoint.events('log_event');
      expect(lines).toHaveLength(16);
      for (const { payload } of lines) {
        expect(payload, JSON.stringify(payload)).toMatchObject({
          attributes: { error: { message: expect.stringContaining('status code 422') } },
        });
      }
      await endpoint.close();
    },
    2 * LIMIT_MS,
  );
});
