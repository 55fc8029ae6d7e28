import { useState } from 'react';
import { CodeBlock } from '../ui/code-block.tsx';
import { Segments } from '../ui/fields/segments.tsx';
import { SecretDialog } from '../ui/layers/secret-dialog.tsx';
import { VERIFICATION_CODE } from './verification-code.ts';

const LANGUAGES = VERIFICATION_CODE.map(({ language }) => language);

/** The signing secret, once, with the code that checks what it signs. */
export function WebhookSecret({ secret, onStored }: { secret: string | null; onStored: () => void }) {
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>('Node');
  const code = VERIFICATION_CODE.find((each) => each.language === language)?.code ?? '';
  return (
    <SecretDialog
      title="The signing secret"
      secret={secret}
      onStored={onStored}
      note="Copy it now. You won't see it again. A lost secret can only be replaced."
    >
      <Segments
        label="Language of the verification code"
        choices={LANGUAGES.map((each) => ({ value: each, label: each }))}
        value={language}
        onChange={setLanguage}
      />
      <CodeBlock label="verification code" code={code} />
    </SecretDialog>
  );
}
