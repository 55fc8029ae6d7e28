import { readFileSync } from 'node:fs';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { isSignedBy } from '../../listen/signature.ts';
import { askSecret } from '../../output/ask.ts';
import { printJson, say } from '../../output/print.ts';

const BODY_BYTES_MAX = 16 * 1_048_576;

/** Checks a signature without any server. */
export const run: Run = async (context, input) => {
  const signature = input.required('signature');
  const file = input.text('secret-file');
  const secret =
    file === null
      ? await askSecret(context, 'Webhook secret', () =>
          usageError('Where is the secret?', '--secret-file FILE'),
        )
      : readFileSync(file, 'utf8').trim();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw usageError('The body is larger than a delivery can be.');
    chunks.push(part);
  }
  const isValid = isSignedBy(Buffer.concat(chunks), secret, signature);
  if (context.globals.json) printJson(context, { valid: isValid });
  else say(context, isValid ? 'The signature is valid.' : 'The signature is not valid.');
  return isValid ? EXIT.ok : EXIT.negative;
};
