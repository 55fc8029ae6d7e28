import { describe, expect, it } from 'vitest';
import { CAUSE_RULES, type CauseFacts, likelyCause } from '../../src/bundles/document/likely-cause.ts';

const FRAME = { file: '/srv/src/cart.js', line: 42, function: 'renderTheme' };

function causeOf(message: string, facts: Partial<CauseFacts> = {}) {
  return likelyCause({
    browserFailure: null,
    errors: [{ type: 'Error', message }],
    frame: FRAME,
    hasRequest: true,
    capturedAt: '2026-03-24T10:30:00.000Z',
    newDeploy: null,
    ...facts,
  });
}

/**
 * Every alternative of the table in docs/contract/incidents.md 3.5.1, inside a message as an application would write
 * it.
 */
const TABLE: Record<string, { messages: string[]; cause: string; action: string }> = {
  C03: {
    messages: [
      'ChunkLoadError: x',
      'Loading chunk 12 failed.',
      'Failed to fetch dynamically imported module: /a.js',
    ],
    cause: 'A page from an older build asked for a file the current deploy no longer serves.',
    action: 'Keep old assets for one release or reload on this error.',
  },
  C04: {
    messages: [
      "Cannot read properties of undefined (reading 'id')",
      "Cannot set properties of null (setting 'id')",
      'java.lang.NullPointerException',
      'System.NullReferenceException',
      "'NoneType' object has no attribute 'total'",
      "undefined method 'total' for nil",
      'assignment to entry in nil map',
      'invalid memory address or nil pointer dereference',
      'Unexpectedly found nil while unwrapping an Optional value',
    ],
    cause: 'A value expected to be present was missing at renderTheme.',
    action: 'Guard the value or fix where it is produced.',
  },
  C05: {
    messages: [
      'cart.sum is not a function',
      "undefined method 'total' for #<Cart>",
      "'Cart' object has no attribute 'total'",
      'Call to undefined function sum()',
      'java.lang.NoSuchMethodError',
      '-[Cart total]: unrecognized selector sent to instance',
    ],
    cause: 'Code calls a member that the object does not have.',
    action: "Compare the object's type with the caller's expectation, also across versions.",
  },
  C06: {
    messages: [
      'Deadlock found when trying to get lock',
      'Lock wait timeout exceeded',
      'could not serialize access',
    ],
    cause: 'Two database transactions blocked each other.',
    action: 'Order the locks or retry the transaction.',
  },
  C07: {
    messages: [
      'SQLSTATE[23505]: x',
      'duplicate key value',
      'violates unique constraint',
      'a foreign key constraint fails',
      'django.db.utils.IntegrityError',
    ],
    cause: 'The database refused a row that breaks a constraint.',
    action: 'Validate before writing or handle the conflict.',
  },
  C08: {
    messages: [
      'relation "orders" does not exist',
      'ORA-00942: table or view does not exist',
      'no such table: orders',
      "Unknown column 'total' in 'field list'",
      'SQLSTATE[42P01]: x',
    ],
    cause: 'The code and the database schema differ.',
    action: 'Check that migrations ran before the deploy.',
  },
  C09: {
    messages: [
      'connect ECONNREFUSED 127.0.0.1:5432',
      'Connection refused',
      'read ECONNRESET',
      'write: broken pipe',
    ],
    cause: 'A dependency did not accept or keep the connection.',
    action: "Check the dependency's health at 2026-03-24T10:30:00.000Z.",
  },
  C10: {
    messages: ['timeout of 3000ms exceeded', 'request timed out', 'connect ETIMEDOUT', 'DeadlineExceeded'],
    cause: 'A call took longer than its limit.',
    action: "Look at the dependency's latency and the configured limit.",
  },
  C11: {
    messages: ['queryA ENOTFOUND db', 'EAI_AGAIN db', 'getaddrinfo failed', 'lookup db: no such host'],
    cause: 'A host name could not be resolved.',
    action: 'Check the configured host and DNS.',
  },
  C12: {
    messages: ['connection pool exhausted', 'pool: connection not available', 'Pool: too many connections'],
    cause: 'The connection pool had no free connection.',
    action: 'Look for leaked or long-held connections.',
  },
  C13: {
    messages: [
      'Out of memory',
      'JavaScript heap out of memory',
      'java.lang.OutOfMemoryError: Java heap space',
      'MemoryError',
    ],
    cause: 'The process ran out of memory.',
    action: 'Compare memory facts in the runtime block across occurrences.',
  },
  C14: {
    messages: ['ENOSPC: write', 'No space left on device'],
    cause: 'The disk is full.',
    action: 'Free or extend the volume.',
  },
  C15: {
    messages: [
      'Unexpected token < in JSON at position 0',
      'json.decoder: Expecting value: line 1',
      'Unexpected end of JSON input',
    ],
    cause: 'A response or body was not the JSON the code expects.',
    action: 'Log the first bytes and the status of the upstream answer.',
  },
  C16: {
    messages: [
      'Request failed with status code 401',
      'Request failed with status code 403',
      'Unauthorized',
      'Forbidden',
      'invalid token',
    ],
    cause: 'Credentials were missing, expired or refused.',
    action: "Check the credential's validity and scope.",
  },
  C17: {
    messages: ['Request failed with status code 429', 'Too Many Requests', 'rate limit exceeded'],
    cause: 'An upstream service limits the call rate.',
    action: 'Back off and honour Retry-After.',
  },
  C18: {
    messages: [
      "Cannot find module 'pg'",
      "ModuleNotFoundError: No module named 'x'",
      'java.lang.ClassNotFoundException',
      'java.lang.NoClassDefFoundError',
      'LoadError: cannot load such file',
    ],
    cause: 'A module is missing from the deployed artifact.',
    action: "Compare the build's dependency list with the source.",
  },
  C19: {
    messages: [
      'Maximum call stack size exceeded',
      'stack overflow',
      'java.lang.StackOverflowError',
      'maximum recursion depth exceeded',
    ],
    cause: 'Unbounded recursion.',
    action: 'Add a stop condition in renderTheme.',
  },
  C20: {
    messages: [
      'index out of bounds',
      'IndexError: x',
      'java.lang.ArrayIndexOutOfBoundsException',
      'slice bounds out of range',
    ],
    cause: 'A position outside the collection was used.',
    action: 'Check the bounds where the index is computed.',
  },
};

describe('cause rules', () => {
  it('are C03 to C20 in the order of the table', () => {
    expect(CAUSE_RULES.map((rule) => rule.id)).toEqual(Object.keys(TABLE));
  });

  const cases = Object.entries(TABLE).flatMap(([id, { messages, cause, action }]) =>
    messages.map((message) => ({ id, message, cause, action })),
  );

  it.each(cases)('$id explains "$message"', ({ message, cause, action }) => {
    expect(causeOf(message)).toEqual({ likelyCause: cause, recommendedAction: action });
    expect(causeOf(message.toUpperCase()).likelyCause).toBe(cause);
    expect(causeOf('', { errors: [{ type: message, message: '' }] }).likelyCause).toBe(cause);
  });

  // C01 and C02
  it('look at the browser event, not at the message', () => {
    expect(causeOf('timeout', { browserFailure: 'window' })).toEqual({
      likelyCause: 'The browser withheld the error details of a cross-origin script.',
      recommendedAction: 'Serve the script with CORS headers and the crossorigin attribute.',
    });
    expect(causeOf('timeout', { browserFailure: 'resource' })).toEqual({
      likelyCause:
        'A page resource could not be loaded; a blocker, network fault or missing file are possible.',
      recommendedAction: 'Check the resource URL and its deploy.',
    });
  });

  it('the first matching rule wins', () => {
    expect(causeOf('pool exhausted: timeout').likelyCause).toBe('A call took longer than its limit.');
  });

  it.each(['missing correlation id', 'the pool is open', 'invalid JSON', 'ImageLoadError'])(
    '"%s" matches none',
    (message) => {
      expect(causeOf(message).likelyCause).toBe(
        'The failure surfaces in renderTheme at /srv/src/cart.js:42.',
      );
    },
  );

  it('asks the causes of an error that says nothing itself', () => {
    const errors = [
      { type: 'ChargeError', message: 'charge failed' },
      { type: 'httpx.ConnectTimeout', message: 'timed out' },
    ];
    expect(causeOf('', { errors }).likelyCause).toBe('A call took longer than its limit.');
    expect(
      causeOf('', { errors: [{ type: 'ChargeError', message: 'card declined: forbidden' }, ...errors] })
        .likelyCause,
    ).toBe('Credentials were missing, expired or refused.');
  });
});

describe('without a matching rule', () => {
  it('the frame is named, with what to inspect', () => {
    expect(causeOf('odd')).toEqual({
      likelyCause: 'The failure surfaces in renderTheme at /srv/src/cart.js:42.',
      recommendedAction: 'Inspect /srv/src/cart.js:42 with the captured request.',
    });
    expect(causeOf('odd', { hasRequest: false }).recommendedAction).toBe('Inspect /srv/src/cart.js:42.');
  });

  it.each(['<anonymous>', '<min>', '<module>', '<main>'])('%s is no name, so the place is', (name) => {
    const frame = { ...FRAME, function: name };
    expect(causeOf('boom', { frame }).likelyCause).toBe('The failure surfaces at /srv/src/cart.js:42.');
    expect(causeOf('x of undefined', { frame }).likelyCause).toBe(
      'A value expected to be present was missing at /srv/src/cart.js:42.',
    );
  });

  it('nothing is claimed without a frame', () => {
    expect(causeOf('odd', { frame: null })).toEqual({ likelyCause: null, recommendedAction: null });
  });

  it('a frame without a line or a file is named as far as it is known', () => {
    expect(causeOf('odd', { frame: { ...FRAME, line: null } }).likelyCause).toBe(
      'The failure surfaces in renderTheme at /srv/src/cart.js.',
    );
    expect(causeOf('odd', { frame: { ...FRAME, file: null } })).toEqual({
      likelyCause: 'The failure surfaces in renderTheme.',
      recommendedAction: null,
    });
  });
});

describe('placeholders', () => {
  it('drop the place when no frame is known', () => {
    expect(causeOf('of undefined', { frame: null }).likelyCause).toBe(
      'A value expected to be present was missing.',
    );
    expect(causeOf('recursion', { frame: null }).recommendedAction).toBe('Add a stop condition.');
  });

  it('take a function name as it is', () => {
    expect(causeOf('of undefined', { frame: { ...FRAME, function: '$&$1' } }).likelyCause).toBe(
      'A value expected to be present was missing at $&$1.',
    );
  });
});

describe('a failure right after a deploy', () => {
  it('says so behind the cause, or alone', () => {
    const sentence = 'The latest occurrence is within 24 hours after deploy 2026.03.24.1.';
    expect(causeOf('timeout', { newDeploy: '2026.03.24.1' }).likelyCause).toBe(
      `A call took longer than its limit. ${sentence}`,
    );
    expect(causeOf('odd', { newDeploy: '2026.03.24.1', frame: null })).toEqual({
      likelyCause: sentence,
      recommendedAction: null,
    });
  });
});
