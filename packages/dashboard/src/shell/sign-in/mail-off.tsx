import { CodeBlock } from '../../ui/code-block.tsx';
import styles from './sign-in-form.module.css';

/** Shows the next steps for a person who requested a code from a server that sends no mail. */
export function MailOff({ providers, email }: { providers: readonly string[]; email: string }) {
  return (
    <div className={styles.off} role="alert">
      <p>
        This server sends no mail, so no code can be sent.{' '}
        {providers.length > 0
          ? `Use ${providers.join(' or ')}.`
          : 'Its operator can set CULPRIT_SMTP_URL or set up a sign-in provider.'}
      </p>
      <p>To create a project and its tokens without signing in, run on the server:</p>
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
