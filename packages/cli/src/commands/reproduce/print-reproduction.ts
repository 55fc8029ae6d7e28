import type { Reproduction, ReproductionReason } from '@culprit/contract/incidents/reproduction';
import { reproductionWords } from '../../bundle-text/reproduction-words.ts';
import { CliError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printJson, say } from '../../output/print.ts';
import { visibleText } from '../../output/visible-text.ts';

/** Prints how to send the request again; never runs anything. */
export function printReproduction(context: Context, input: Input, reproduction: Reproduction): ExitCode {
  const { artifacts, reason, confidence } = reproduction;
  if (context.globals.json) {
    printJson(context, reproduction);
    return artifacts === null ? EXIT.negative : EXIT.ok;
  }
  if (artifacts === null) throw notPossible(reason);
  say(context, `${reproductionWords(reason)}, confidence ${confidence.toFixed(2)}`);
  const form = input.choice('as', ['curl', 'httpie', 'json', 'test']) ?? 'curl';
  if (form === 'json') printJson(context, artifacts.json_spec);
  else {
    const text = form === 'test' ? testSkeleton(artifacts.json_spec) : artifacts[form];
    // A shell must get the bytes as they were; a person must see them.
    context.terminal.out(`${context.terminal.isOutTerminal ? visibleText(text) : text}\n`);
  }
  return EXIT.ok;
}

export function notPossible(reason: ReproductionReason): CliError {
  return new CliError(`The failure cannot be reproduced: ${reproductionWords(reason)}.`, {
    exit: EXIT.negative,
    code: reason,
  });
}

/** A test for Node's own runner, in which the captured data is data. */
function testSkeleton(spec: NonNullable<Reproduction['artifacts']>['json_spec']): string {
  const literal = JSON.stringify(spec, null, 2)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('\n', '\n  ');
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';

test('the request that failed is answered', async () => {
  const spec = ${literal};
  const url = new URL(spec.url);
  for (const [key, value] of Object.entries(spec.query)) url.searchParams.append(key, String(value));
  const body = spec.body === null ? undefined : typeof spec.body === 'string' ? spec.body : JSON.stringify(spec.body);
  const answer = await fetch(url, { method: spec.method, headers: spec.headers, body });
  assert.ok(answer.status < 500, \`answered \${answer.status}\`);
});`;
}
