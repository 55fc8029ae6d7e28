import { describe, expect, it } from 'vitest';
import { createCleaning } from '../src/redaction/clean.ts';
import { classNameOf, errorIn, readErrorMembers, readThrown } from '../src/redaction/read-error.ts';
import { createRedaction } from '../src/redaction/redact.ts';

/** docs/contract/clients.md 3.2 and 3.3: what a thrown value says, and what it must not. */

const ENTERED = 'ann-planted';

const told = (thrown: unknown): Record<string, unknown> => {
  const cleaner = createCleaning({ now: () => 0 }, createRedaction())();
  return { ...cleaner.payload(readThrown(thrown)), error: readErrorMembers(thrown) };
};

describe('a message', () => {
  it.each([
    [
      'loses the queries of whole and of relative addresses',
      `POST https://h.example/login?user=${ENTERED} after "/start?q=${ENTERED}#x"`,
      'POST https://h.example/login after "/start"',
    ],
    ['keeps other question marks', 'either/or? is it in /tmp? yes', 'either/or? is it in /tmp? yes'],
    [
      'loses the exchange that graphql-request appends, with its variables',
      `refused: {"response":{"status":200},"request":{"query":"{ a }","variables":{"user":"${ENTERED}"}}}`,
      'refused',
    ],
    [
      'loses the answer that zone.js prints, with its body',
      `Uncaught (in promise): HttpErrorResponse: {"headers":{},"status":422,"error":{"user":"${ENTERED}"}}`,
      'Uncaught (in promise): HttpErrorResponse',
    ],
    [
      'loses the value that GraphQL refuses',
      `Variable "$input" got invalid value { user: "${ENTERED}" }; Field "id" is not defined by type "SignIn".`,
      'Variable "$input" got invalid value',
    ],
  ])('%s', (_, said, expected) => {
    for (const thrown of [new Error(said), new Error('outer', { cause: new Error(said) }), said]) {
      expect(JSON.stringify(told(thrown))).not.toContain(ENTERED);
    }
    expect(told(new Error(said))).toMatchObject({ message: expected });
    expect(told(said)).toMatchObject({ name: 'Error', message: expected });
    const inside = createCleaning({ now: () => 0 }, createRedaction())().value({ last: new Error(said) });
    expect(inside).toMatchObject({ last: { message: expected } });
    expect(JSON.stringify(inside)).not.toContain(ENTERED);
  });
});

it('the header of a stack is bare where it is not the message, and its frames stay as they are', () => {
  const frames = '\n    at sign (https://h.example/app.js?v=2:1:2)\n    at f (/srv/app.js?v=2:3:4)';
  const error = Object.assign(new Error('refused'), {
    stack: `TypeError: no https://h.example/login?user=${ENTERED}\nor\n${frames}`,
  });
  expect(readThrown(error).stack).toBe(`TypeError: no https://h.example/login\nor\n${frames}`);
});

it('an Error that makes its texts when they are read is read, and one that fails then costs nothing else', () => {
  const lazy = Object.defineProperties(new Error(), {
    name: { value: 'ZodError' },
    message: { get: () => 'too short', enumerable: true },
    stack: { get: () => 'ZodError: too short\n    at parse (/srv/app.js:1:2)' },
  });
  expect(readThrown(lazy)).toEqual({
    name: 'ZodError',
    message: 'too short',
    stack: 'ZodError: too short\n    at parse (/srv/app.js:1:2)',
  });
  const refuse = { get: () => readThrown(Object(null).x.y) };
  expect(readThrown(Object.defineProperty(new RangeError('x'), 'message', refuse))).toMatchObject({
    name: 'RangeError',
    message: '',
  });
});

it('an event that carries an Error, of any realm, stands for it', () => {
  const inside = new RangeError('inside');
  const event = (members: object) => Object.assign(new Event('error'), members);
  expect(errorIn(event({ error: inside, message: 'Uncaught' }))).toBe(inside);
  expect(errorIn(event({ reason: inside, promise: Promise.resolve() }))).toBe(inside);
  expect(errorIn({ data: null, error: inside })).toBe(inside);
  expect(errorIn(Object.assign(inside, { error: new Error('other') }))).toBe(inside);
  for (const other of [
    event({ error: null, message: 'Script error.' }),
    { reason: 'no' },
    'text',
    undefined,
  ]) {
    expect(errorIn(other)).toBe(other);
  }
});

describe('a thrown object', () => {
  it('that is an answer of Angular is told by its message, with address and status', () => {
    const answer = {
      headers: {},
      status: 422,
      url: `https://h.example/login?user=${ENTERED}`,
      ok: false,
      name: 'HttpErrorResponse',
      message: `Http failure response for https://h.example/login?user=${ENTERED}: 422 Unprocessable`,
    };
    for (const error of [ENTERED, { user: ENTERED }]) {
      const facts = told({ ...answer, error });
      expect(facts).toMatchObject({
        name: 'HttpErrorResponse',
        message: 'Http failure response for https://h.example/login 422 Unprocessable',
        error: { status: 422, ok: false, url: 'https://h.example/login' },
      });
      expect(JSON.stringify(facts)).not.toContain(ENTERED);
    }
  });

  it('that is an answer of axios or jQuery is told by its scalars, with method, address and status of the call', () => {
    const config = { method: 'post', url: `https://h.example/login?q=${ENTERED}`, data: ENTERED };
    const facts = told({ status: 422, statusText: 'refused', data: ENTERED, headers: {}, config });
    expect(facts).toMatchObject({
      message: '{"status":422}',
      error: { method: 'post', url: 'https://h.example/login', status: 422 },
    });
    expect(told({ readyState: 4, status: 500, responseText: ENTERED, responseJSON: {} })).toMatchObject({
      message: '{"status":500,"readyState":4}',
    });
  });

  it('that is an answer of fetch is told by its status', () => {
    const facts = told(new Response(ENTERED, { status: 503, headers: { 'x-user': ENTERED } }));
    expect(facts).toMatchObject({ message: '{"status":503}', error: { status: 503 } });
    expect(JSON.stringify(facts)).not.toContain(ENTERED);
  });

  it('that has a message is told by it, with its name and its single words', () => {
    const refused = {
      message: `no https://h.example/?q=${ENTERED}`,
      details: `Key (user)=(${ENTERED}) exists.`,
    };
    const facts = told({ ...refused, code: '23505', status: 409, name: 'PostgrestError' });
    expect(facts).toMatchObject({
      name: 'PostgrestError',
      message: 'no https://h.example/',
      stack: null,
      error: { code: '23505', status: 409 },
    });
    expect(JSON.stringify(facts)).not.toContain(ENTERED);
    class HttpError {
      message = 'refused';
    }
    expect(readThrown(new HttpError(), classNameOf)).toMatchObject({ name: 'HttpError', message: 'refused' });
    // What has no message may be anything, and its name that of a person.
    expect(told({ name: 'Ann', id: 7 })).toMatchObject({ name: 'Error', message: '{"name":"Ann","id":7}' });
  });

  it('keeps what it says of itself, and at no depth what was exchanged with a server', () => {
    const exchanged = { data: ENTERED, config: { data: ENTERED }, body: [ENTERED], params: { q: ENTERED } };
    const { message } = told({ code: 'E_LOGIN', reason: 'refused', ...exchanged, inner: [exchanged] });
    expect(message).not.toContain(ENTERED);
    expect(JSON.parse(String(message))).toMatchObject({ code: 'E_LOGIN', reason: 'refused' });
    // Only of what is thrown: a context is what its host says.
    const context = createCleaning({ now: () => 0 }, createRedaction())().value({ data: 'kept' });
    expect(context).toEqual({ data: 'kept' });
  });
});
