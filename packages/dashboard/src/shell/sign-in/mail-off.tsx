import { CodeBlock } from '../../ui/code-block.tsx';
import styles from './sign-in-form.module.css';

/** Shows the next steps for a person who requested a code from a server that sends no mail. */
export function MailOff({ providers, email }: { providers: readonly string[]; email: string }) {
  return (
    <div className={styles.off} role="alert">
      <p>
        Mail is off on this server, so that no code can be sent.{' '}
        {providers.length > 0
          ? `Use ${providers.join(' or ')}.`
          : 'Its operator can set CULPRIT_SMTP_URL, or sign-in with a provider.'}
      </p>
      <p>A project and its tokens for programs are made on the server, without signing in:</p>
      <CodeBlock
        label="command"
        code={`npm run -s admin -- bootstrap --email ${shellWord(email)} --project my-app --json`}
        isWrapped
      />
    </div>
  );
}

/** Whatever was typed stays one word of a shell. */
function shellWord(text: string): string {
  return /^[\w.+@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
