import { type MailTransport, shownText } from './mail.ts';
import { MailError } from './mail-error.ts';

const RULE = '-'.repeat(72);

/** Prints messages to the terminal of the process: for trying things out on one machine. */
export function consoleTransport(
  from: string,
  output: { write(text: string, done: (error?: Error | null) => void): unknown } = process.stdout,
): MailTransport {
  return {
    async send({ to, subject, text }) {
      const lines = [RULE, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, '', text.trimEnd(), RULE];
      const page = shownText(lines.join('\n'));
      await new Promise<void>((resolve, reject) => {
        output.write(`${page}\n`, (error) =>
          error
            ? reject(new MailError('unavailable', `the terminal cannot be written to (${error.message})`))
            : resolve(),
        );
      });
    },
  };
}
