import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhookEvents } from '@culprit/contract/alerts/webhook-payloads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSigningSecret, signBody } from '../../src/notify/webhooks/signing-secret.ts';
import {
  NODE_VERIFICATION,
  PYTHON_VERIFICATION,
} from '../../src/platform/http/reference/reference-webhooks.ts';

const secret = createSigningSecret();
const text = JSON.stringify({ ...webhookEvents['bundle.created'].example, summary: 'Käse 💥' });
const signature = signBody(secret, Buffer.from(text));

/** Secret, body, signature, and whether a receiver takes it. */
const CASES: readonly [string, string, string | null, boolean][] = [
  [secret, text, signature, true],
  [secret, `${text} `, signature, false],
  [createSigningSecret(), text, signature, false],
  [secret, text, signature.toUpperCase(), false],
  [secret, text, `${signature}00`, false],
  [secret, text, signature.slice(0, -1), false],
  [secret, text, `${signature.slice(0, -1)}é`, false],
  [secret, text, '', false],
  [secret, text, null, false],
];
const EXPECTED = CASES.map(([, , , isTaken]) => isTaken);

const NODE_RUN = `
import { readFileSync } from 'node:fs';
import { isAuthentic } from './receiver.mjs';
const cases = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(([secret, body, sign]) => isAuthentic(secret, Buffer.from(body), sign ?? undefined))));
`;
const PYTHON_RUN = `
import json, sys
from receiver import is_authentic
cases = json.loads(sys.stdin.buffer.read())
print(json.dumps([is_authentic(secret, body.encode(), sign) for secret, body, sign, _ in cases]))
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('the code that the reference gives to receivers', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'culprit-receiver-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(command: string, file: string, receiver: string, code: string, program: string): unknown {
    writeFileSync(join(folder, receiver), code);
    writeFileSync(join(folder, file), program);
    const { stdout, stderr } = spawnSync(command, [join(folder, file)], {
      input: JSON.stringify(CASES),
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  it('takes in Node what was signed here, and nothing else', () => {
    expect(run(process.execPath, 'run.mjs', 'receiver.mjs', NODE_VERIFICATION, NODE_RUN)).toEqual(EXPECTED);
  });

  it.skipIf(!hasPython)('takes in Python what was signed here, and nothing else', () => {
    expect(run('python3', 'run.py', 'receiver.py', PYTHON_VERIFICATION, PYTHON_RUN)).toEqual(EXPECTED);
  });
});
